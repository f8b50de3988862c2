"""Directory listings as servers write them: of a folder with `sub/`, `a b.pdf` and `c.csv`."""

# ruff: noqa: E501, W291 (they stand as their servers write them)

HOST = "town.example"

APACHE_TABLE = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html>
 <head>
  <title>Index of /data</title>
 </head>
 <body>
<h1>Index of /data</h1>
  <table>
   <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th><th><a href="?C=D;O=A">Description</a></th></tr>
   <tr><th colspan="5"><hr></th></tr>
<tr><td valign="top"><img src="/icons/back.gif" alt="[PARENTDIR]"></td><td><a href="/">Parent Directory</a>       </td><td>&nbsp;</td><td align="right">  - </td><td>&nbsp;</td></tr>
<tr><td valign="top"><img src="/icons/folder.gif" alt="[DIR]"></td><td><a href="sub/">sub/</a>       </td><td align="right">2024-01-15 10:20  </td><td align="right">  - </td><td>&nbsp;</td></tr>
<tr><td valign="top"><a href="a%20b.pdf"><img src="/icons/layout.gif" alt="[   ]"></a></td><td><a href="a%20b.pdf">a b.pdf</a>        </td><td align="right">2024-02-29 23:59  </td><td align="right"> 22K</td><td>of 1999-01-01 00:00</td></tr>
<tr><td valign="top"><img src="/icons/text.gif" alt="[TXT]"></td><td><a href="c.csv">c.csv</a>        </td><td align="right">2023-12-31 00:00  </td><td align="right">1.2M</td><td>&nbsp;</td></tr>
   <tr><th colspan="5"><hr></th></tr>
</table>
<address>Apache/2.4.57 (Unix) Server at town.example Port 80</address>
</body></html>
"""

APACHE_PRE = """<html><head><title>Index of /data</title></head><body>
<h1>Index of /data</h1>
<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>                    <a href="?C=M;O=A">Last modified</a>      <a href="?C=S;O=A">Size</a>  <hr><img src="/icons/back.gif" alt="[DIR]"> <a href="/">Parent Directory</a>                             -   
<img src="/icons/folder.gif" alt="[DIR]"> <a href="sub/">sub/</a>                    15-Jan-2024 10:20    -   
<img src="/icons/layout.gif" alt="[   ]"> <a href="a%20b.pdf">a b.pdf</a>                 29-Feb-2024 23:59   22K  
<img src="/icons/text.gif" alt="[TXT]"> <a href="c.csv">c.csv</a>                   31-Dec-2023 00:00  1.2M  
<hr></pre>
</body></html>
"""

APACHE_PLAIN = """<html><head><title>Index of /data</title></head><body>
<h1>Index of /data</h1>
<ul><li><a href="/"> Parent Directory</a></li>
<li><a href="sub/"> sub/</a></li>
<li><a href="a%20b.pdf"> a b.pdf</a></li>
<li><a href="c.csv"> c.csv</a></li>
</ul>
<address>Apache/2.4.57 Server at town.example Port 443</address>
</body></html>
"""

NGINX = """<html>
<head><title>Index of /data/</title></head>
<body>
<h1>Index of /data/</h1><hr><pre><a href="../">../</a>
<a href="sub/">sub/</a>                                               15-Jan-2024 10:20                   -
<a href="a%20b.pdf">a b.pdf</a>                                            29-Feb-2024 23:59               22528
<a href="c.csv">c.csv</a>                                              31-Dec-2023 00:00             1258291
</pre><hr></body>
</html>
"""

NGINX_JSON = """[
{ "name":"sub", "type":"directory", "mtime":"Mon, 15 Jan 2024 10:20:00 GMT" },
{ "name":"a b.pdf", "type":"file", "mtime":"Thu, 29 Feb 2024 23:59:00 GMT", "size":22528 },
{ "name":"c.csv", "type":"file", "mtime":"Sun, 31 Dec 2023 00:00:00 GMT", "size":1258291 },
{ "name":"pipe", "type":"other", "mtime":"Sun, 31 Dec 2023 00:00:00 GMT" }
]
"""

NGINX_FANCYINDEX = """<!DOCTYPE html><html><head><title>Files in data</title></head><body>
<table id="list"><thead><tr>
<th><a href="?C=N&amp;O=A">File Name</a>&nbsp;<a href="?C=N&amp;O=D">&darr;</a></th>
<th><a href="?C=M&amp;O=A">Date</a>&nbsp;<a href="?C=M&amp;O=D">&darr;</a></th></tr></thead>
<tbody>
<tr><td class="link"><a href="../">Parent directory/</a></td><td>-</td></tr>
<tr><td class="link"><a href="sub/" title="sub">sub/</a></td><td class="date">2024-Jan-15 10:20</td></tr>
<tr><td class="link"><a href="a%20b.pdf">a b.pdf</a></td><td class="date">2024-02-29 23:59</td></tr>
<tr><td class="link"><a href="c.csv">c.csv</a></td><td class="date">2023-12-31 00:00</td></tr>
</tbody></table></body></html>
"""

IIS = (
    "<html><head><title>town.example - /data/</title></head><body>"
    "<H1>town.example - /data/</H1><hr>\r\n\r\n"
    '<pre><A HREF="/">[To Parent Directory]</A><br><br> '
    '1/15/2024 10:20 AM        &lt;dir&gt; <A HREF="/data/sub/">sub</A><br> '
    '2/29/2024 11:59 PM        22528 <A HREF="/data/a%20b.pdf">a b.pdf</A><br>'
    '12/31/2023 12:00 AM      1258291 <A HREF="/data/c.csv">c.csv</A><br></pre><hr></body></html>'
)

IIS_LONG_DATES = (
    "<html><head><title>town.example - /data/</title></head><body>"
    "<H1>town.example - /data/</H1><hr>\r\n\r\n"
    '<pre><A HREF="/">[To Parent Directory]</A><br><br>   '
    'Monday, January 15, 2024 10:20 AM        &lt;dir&gt; <A HREF="/data/sub/">sub</A><br>'
    'Thursday, February 29, 2024 11:59 PM        22528 <A HREF="/data/a%20b.pdf">a b.pdf</A><br>'
    '  Sunday, December 31, 2023 12:00 AM        9 <A HREF="/data/c.csv">c.csv</A><br>'
    "</pre><hr></body></html>"
)

IIS_DAY_FIRST = (
    IIS.replace("1/15/2024 10:20 AM", "15/01/2024     10:20")
    .replace("2/29/2024 11:59 PM", "29/02/2024     23:59")
    .replace("12/31/2023 12:00 AM", "31/12/2023     00:00")
    .replace("[To Parent Directory]", "[Zum übergeordneten Verzeichnis]")
)

LIGHTTPD = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">
<head>
<title>Index of /data/</title>
</head>
<body>
<h2>Index of /data/</h2>
<div class="list">
<table summary="Directory Listing" cellpadding="0" cellspacing="0">
<thead><tr><th class="n">Name</th><th class="m">Last Modified</th><th class="s">Size</th><th class="t">Type</th></tr></thead>
<tbody>
<tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
<tr class="d"><td class="n"><a href="sub/">sub</a>/</td><td class="m">2024-Jan-15 10:20:00</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
<tr><td class="n"><a href="a%20b.pdf">a b.pdf</a></td><td class="m">2024-Feb-29 23:59:00</td><td class="s">22.0K</td><td class="t">application/pdf</td></tr>
<tr><td class="n"><a href="c.csv">c.csv</a></td><td class="m">2023-Dec-31 00:00:00</td><td class="s">1.2M</td><td class="t">text/csv</td></tr>
</tbody>
</table>
</div>
<div class="foot">lighttpd/1.4.76</div>
</body>
</html>
"""

CADDY = """<!DOCTYPE html>
<html><head><title>data</title></head>
<body>
<header><div class="breadcrumbs">Folder Path</div><h1><a href="../../">/</a><a href="../">data</a></h1></header>
<main><div class="meta"><div id="summary"><span class="meta-item"><b>1</b> directory</span></div>
<a href="javascript:queryParam('layout', '')" id="layout-list">List</a></div>
<div class="listing"><table aria-describedby="summary"><thead><tr>
<th></th><th><a href="?sort=name&amp;order=desc">Name</a></th><th><a href="?sort=time&amp;order=asc">Modified</a></th></tr></thead>
<tbody>
<tr><td></td><td><a href=".."><span class="go-up">Up</span></a></td><td></td></tr>
<tr class="file"><td></td><td><a href="./sub/"><svg></svg><span class="name">sub</span></a></td><td>&mdash;</td>
<td class="timestamp"><time datetime="2024-01-15T10:20:00Z">01/15/2024 10:20:00 AM +00:00</time></td></tr>
<tr class="file"><td></td><td><a href="./a%20b.pdf"><span class="name">a b.pdf</span></a></td><td class="size">22 KiB</td>
<td class="timestamp"><time datetime="2024-02-29T23:59:00Z">02/29/2024 11:59:00 PM +00:00</time></td></tr>
<tr class="file"><td></td><td><a href="./c.csv"><span class="name">c.csv</span></a></td><td class="size">1.2 MiB</td>
<td class="timestamp"><time datetime="2023-12-31T00:00:00Z">12/31/2023 12:00:00 AM +00:00</time></td></tr>
</tbody></table></div></main>
<footer>Served with <a rel="noopener noreferrer" href="https://caddyserver.com"><svg></svg></a></footer>
</body></html>
"""

PYTHON = """<!DOCTYPE HTML>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Directory listing for /data/</title>
</head>
<body>
<h1>Directory listing for /data/</h1>
<hr>
<ul>
<li><a href="a%20b.pdf">a b.pdf</a></li>
<li><a href="c.csv">c.csv</a></li>
<li><a href="sub/">sub/</a></li>
</ul>
<hr>
</body>
</html>
"""

UNKNOWN = """<html><body><h1>Index of /data/</h1>
<a href="sub/">sub</a> <a href="a%20b.pdf">a b.pdf</a> <a href="c.csv">c.csv</a></body></html>
"""

_SAID = ("2024-02-29T23:59:00", "2023-12-31T00:00:00")
_UTC = ("2024-02-29T23:59:00Z", "2023-12-31T00:00:00Z")
_NONE = (None, None)

SAMPLES: dict[str, tuple[str, str, tuple[str | None, str | None]]] = {
    "Apache, table": (APACHE_TABLE, "Apache", _SAID),
    "Apache, pre": (APACHE_PRE, "Apache", _SAID),
    "Apache, plain": (APACHE_PLAIN, "Apache", _NONE),
    "nginx": (NGINX, "nginx", _SAID),
    "nginx, JSON": (NGINX_JSON, "nginx", _UTC),
    "nginx, fancyindex": (NGINX_FANCYINDEX, "nginx", _SAID),
    "IIS": (IIS, "IIS", _SAID),
    "IIS, long dates": (IIS_LONG_DATES, "IIS", _SAID),
    "IIS, another language": (IIS_DAY_FIRST, "IIS", _SAID),
    "lighttpd": (LIGHTTPD, "lighttpd", _SAID),
    "Caddy": (CADDY, "Caddy", _UTC),
    "Python": (PYTHON, "Python's http.server", _NONE),
    "unknown": (UNKNOWN, "an unknown server", _NONE),
}
"""A listing, its server, and the times that it shows of `a b.pdf` and `c.csv`."""


def nginx(path: str, *names: str) -> bytes:
    """A listing of nginx: of these names, folders with a slash behind them."""
    lines = "".join(f'<a href="{name}">{name}</a>   15-Jan-2024 10:20   -\n' for name in names)
    head = f"<html>\n<head><title>Index of {path}</title></head>\n<body>\n<h1>Index of {path}</h1>"
    return f'{head}<hr><pre><a href="../">../</a>\n{lines}</pre><hr></body>\n</html>\n'.encode()
