"""What the table of kinds has to say, written down a second time by hand."""

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

_TYPES = f"""
html: text/html application/xhtml+xml
pdf: application/pdf application/x-pdf
document: {_OFFICE}wordprocessingml.document {_OFFICE}wordprocessingml.template
  application/vnd.ms-word.document.macroenabled.12 application/msword application/vnd.ms-word
  {_OFFICE}presentationml.presentation {_OFFICE}presentationml.slideshow
  application/vnd.ms-powerpoint.presentation.macroenabled.12 application/vnd.ms-powerpoint
  application/mspowerpoint {_OPEN}text {_OPEN}text-template {_OPEN}presentation application/rtf
  text/rtf application/x-rtf application/epub+zip application/vnd.wordperfect
  application/wordperfect application/postscript
spreadsheet: {_OFFICE}spreadsheetml.sheet {_OFFICE}spreadsheetml.template {_OPEN}spreadsheet
  application/vnd.ms-excel.sheet.macroenabled.12 application/vnd.ms-excel application/msexcel
  application/vnd.ms-excel.sheet.binary.macroenabled.12
csv: text/csv application/csv text/x-csv text/tab-separated-values
text: text/plain text/calendar text/css text/javascript application/javascript
  application/x-javascript application/yaml application/x-yaml
markdown: text/markdown text/x-markdown
json: application/json text/json application/geo+json application/vnd.geo+json
  application/x-ndjson application/jsonl
xml: application/xml text/xml application/rss+xml application/atom+xml
  application/vnd.google-earth.kml+xml
captions: text/vtt application/x-subrip text/srt application/ttml+xml
audio: audio/mpeg audio/mp3 audio/mp4 audio/x-m4a audio/aac audio/wav audio/x-wav audio/vnd.wave
  audio/ogg application/ogg audio/flac audio/x-ms-wma audio/webm
video: video/mp4 video/quicktime video/webm video/x-matroska video/mpeg video/mp2t video/x-msvideo
  video/x-ms-wmv video/x-ms-asf video/x-flv
image: image/png image/jpeg image/jpg image/gif image/webp image/tiff image/bmp image/svg+xml
  image/vnd.microsoft.icon image/x-icon image/heic image/heif image/avif image/jp2
  image/vnd.adobe.photoshop image/vnd.djvu image/vnd.dwg application/acad image/vnd.dxf
mail: message/rfc822 multipart/related application/mbox application/vnd.ms-outlook
zip-container: application/zip application/x-zip-compressed application/x-zip
  application/vnd.google-earth.kmz
archive: application/gzip application/x-gzip application/x-tar application/x-bzip2 application/x-xz
  application/x-7z-compressed application/vnd.rar application/x-rar-compressed application/zstd
  application/warc
"""

_EXTENSIONS = """
html: html htm xhtml
pdf: pdf
document: docx docm dotm dotx doc dot pptx pptm ppsm ppsx ppt pps odt ott odp otp rtf epub wpd ps
  eps
spreadsheet: xlsx xlsm xlsb xltx xls xlt ods ots
csv: csv tsv tab
text: txt text log ics css js mjs yaml yml
markdown: md markdown
json: json geojson jsonl ndjson
xml: xml xsd xsl rss atom kml
captions: vtt srt ttml dfxp json3
audio: mp3 m4a m4b aac wav ogg oga opus flac wma weba
video: mp4 m4v mov webm mkv mpg mpeg ts avi wmv asf flv
image: png jpg jpeg gif webp tif tiff bmp svg ico heic heif avif jp2 psd djvu dwg dxf
mail: eml mht mhtml mbox msg
zip-container: zip kmz
archive: gz tgz tar bz2 xz 7z rar zst warc
other: bin
"""

_NAMED = """
html: html
pdf: pdf
document: docx
spreadsheet: xlsx
csv: csv
text: txt
markdown: md
json: json
xml: xml
captions: vtt
audio: mp3
video: mp4
image: png
mail: eml
zip-container: zip
archive: gz
other: bin
"""


_ENCLOSED = """
pdf docx docm dotm dotx doc dot pptx pptm ppsm ppsx ppt pps odt ott odp otp rtf epub wpd
xlsx xlsm xlsb xltx xls xlt ods ots csv tsv tab
"""


def _kind_of_each(table: str) -> dict[str, str]:
    kinds: dict[str, str] = {}
    kind = ""
    for word in table.split():
        if word.endswith(":"):
            kind = word[:-1]
        else:
            kinds[word] = kind
    return kinds


TYPES = _kind_of_each(_TYPES)
"""The kind of each media type."""

EXTENSIONS = _kind_of_each(_EXTENSIONS)
"""The kind of each extension."""

NAMED = {kind: extension for extension, kind in _kind_of_each(_NAMED).items()}
"""What a file of each kind is named where its bytes say no more."""

ENCLOSED = set(_ENCLOSED.split())
"""The extensions of what a page encloses by linking to it."""
