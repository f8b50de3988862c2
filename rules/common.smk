# What the rules share: the checked configuration, the wildcards' forms, and the input functions.

from functools import cache

from centinel import run
from centinel.belonging import Work
from centinel.kinds import RECORDINGS
from centinel.store import Store

# The process of each job reads this file again, so what only some rules ask is imported by them.

CONFIGURATION = run.configuration_or_exit(config)
if not run.is_of_a_job():
    validate(run.checked_part(CONFIGURATION), "../config/schemas/config.schema.yaml")

RESULTS = CONFIGURATION.results.as_posix()
SOURCES = sorted(
    name for name, source in CONFIGURATION.sources.items() if source.enabled
)

# The audit stays while these rules run: they change nothing that it tells, or it is made after them.
EXPORTS = ("warc", "bag", "current", "verify", "verified")


wildcard_constraints:
    source=r"[a-z0-9][a-z0-9_-]{0,63}",
    kind=r"[a-z-]+",
    version=r"[0-9]+(-[A-Za-z0-9][A-Za-z0-9._-]*)?",
    recording=r"[0-9a-f]{64}",
    shard=r"[0-9]+-of-[0-9]+",


def source_of(wildcards):
    """The block of the job's source."""
    return run.source_or_exit(CONFIGURATION, wildcards.source)


def store_of(wildcards):
    """Where the job's source keeps its things."""
    return Store(CONFIGURATION.results, wildcards.source)


def everything():
    """The audit of all sources, and of each: a stage that failed is then made up by a plain run."""
    return [*last_step(), *expand(f"{RESULTS}/{{source}}/report.html", source=SOURCES)]


def last_step():
    """The overall audit; with `strict`, also the check that every source could be enumerated."""
    audit = f"{RESULTS}/report.html"
    return [audit, f"{RESULTS}/.strict"] if CONFIGURATION.strict else [audit]


def address_of(wildcards):
    """What a source is at: a new address makes a new snapshot due."""
    from centinel.sources.registry import kind_of

    source = source_of(wildcards)
    return kind_of(source).address(source)


def turn_of(wildcards):
    """Moves on when an acquire left something, and when something has become due since."""
    from centinel.turns import read_turn

    return read_turn(store_of(wildcards))


def ingested_of(wildcards):
    """The results of a source of datasets; nothing for the others."""
    from centinel.sources.registry import is_ingested

    results = f"{RESULTS}/{wildcards.source}/ingest/results.jsonl"
    return [results] if is_ingested(source_of(wildcards)) else []


def derived_of(wildcards):
    """The lines of every shard that the checkpoint planned, at the version that is wanted now."""
    from centinel.classify import work_files

    checkpoints.classify.get(source=wildcards.source)
    return [
        f"{RESULTS}/{wildcards.source}/derived/{kind}/v{CONFIGURATION.pipeline.reading(kind).path_version}/{shard}.jsonl"
        for kind, shard in work_files(store_of(wildcards))
    ]


def readers_at_hand(wildcards):
    """Which readers of a kind are installed: installing one makes that kind's shards due."""
    from centinel.readers.registry import is_at_hand, readers_for

    if wildcards.kind in RECORDINGS:
        return [need.name for need in needs_of(wildcards) if need.is_there]
    return [reader.name for reader in readers_for(wildcards.kind) if is_at_hand(reader)]


def needs_of(wildcards):
    """What transcribing the source's recordings needs, and whether it is here."""
    from centinel.transcribe import needs

    return needs.at_hand(CONFIGURATION, source_of(wildcards).lang)


def transcripts_of(wildcards):
    """One a recording of the shard, where this machine has all that transcribing needs."""
    from centinel.classify import recordings_of

    if wildcards.kind not in RECORDINGS or not all(
        need.is_there for need in needs_of(wildcards)
    ):
        return []
    checkpoints.classify.get(source=wildcards.source)
    folder = (
        f"{RESULTS}/{wildcards.source}/derived/{wildcards.kind}/v{wildcards.version}"
    )
    blobs = recordings_of(store_of(wildcards), wildcards.kind, wildcards.shard)
    return [f"{folder}/recordings/{blob}.json" for blob in blobs]


def transcription_mebibytes(wildcards, attempt):
    """Memory for one recording: what the model takes, and more where that was too little."""
    from centinel.transcribe import job as transcription
    from centinel.transcribe import models

    return attempt * transcription.mebibytes(models.chosen(CONFIGURATION).path)


def transcription_minutes(wildcards, attempt):
    """Run time for one recording, guessed from its size."""
    from centinel.transcribe import job as transcription
    from centinel.transcribe import models

    blob = store_of(wildcards).blob(wildcards.recording)
    return attempt * transcription.minutes(models.chosen(CONFIGURATION).path, blob)


def sources_of(jobs, rule):
    """The sources that have a job of a rule."""
    return frozenset(job.wildcards.source for job in jobs if job.rule.name == rule)


def verification_turn_of(wildcards):
    """Moves on when a shard of the blobs is due to be verified again."""
    return verification_of(wildcards.source).turns.get(wildcards.shard, 0)


def verified_shards_of(wildcards):
    """The shards that are verified in this run, and those that rest."""
    folder = f"{RESULTS}/{wildcards.source}/fixity"
    return [
        f"{folder}/{shard}.verified"
        for shard in verification_of(wildcards.source).turns
    ]


@cache
def verification_of(source):
    """What a run verifies of a source: the same from its begin to its end."""
    from centinel.fixity import shards
    from centinel.journal import now

    store = Store(CONFIGURATION.results, source)
    if not store.record.exists():
        # What another configuration acquired needs no block.
        run.source_or_exit(CONFIGURATION, source)
    return shards.due(store, CONFIGURATION.verification, now())


def begin_verification(source):
    """Removes what says that a source is verified, so that a job that fails is made up."""
    from centinel.fixity import shards

    shards.begin(Store(CONFIGURATION.results, source))


def fixity_of(wildcards):
    """What verifying found last: no rule's output, and newer than the audit where it is to be told."""
    return sorted(path.as_posix() for path in store_of(wildcards).fixity.glob("*.json"))


def begin_run(dag):
    """Locks the sources that this run touches and removes their reports, until it made new ones."""
    jobs = [job for job in dag.jobs if dag.needrun(job)]
    touched = {job.wildcards.source for job in jobs if hasattr(job.wildcards, "source")}
    changed = {
        job.wildcards.source
        for job in jobs
        if hasattr(job.wildcards, "source") and job.rule.name not in EXPORTS
    }
    run.begin_or_exit(
        CONFIGURATION,
        touched,
        overall=any(job.rule.name == "overview" for job in jobs),
        only_read=touched - changed,
        work=Work(sources_of(jobs, "enumerate"), sources_of(jobs, "acquire")),
    )
    for source in sources_of(jobs, "verify"):
        begin_verification(source)
