# Turns the sound of one recording into segments of text, or says why there are none.
# Reads a blob, which is no input: it never changes, and a missing one is the recording's fault alone.
# One job a recording: a cluster spreads them, and a killed one goes on where it was.


rule transcribe:
    output:
        recording=f"{RESULTS}/{{source}}/derived/{{kind}}/v{{version}}/recordings/{{recording}}.json",
    log:
        f"{RESULTS}/logs/transcribe/{{source}}/{{kind}}.v{{version}}.{{recording}}.log",
    conda:
        "../envs/transcribe.yaml"
    threads: CONFIGURATION.transcription.threads
    resources:
        mem_mb=transcription_mebibytes,
        runtime=transcription_minutes,
    script:
        "../scripts/transcribe.py"
