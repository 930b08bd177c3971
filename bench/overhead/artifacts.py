"""What the workloads and configurations need from Maven Central: pinned versions, and what their bytes must be.

scripts/maven-get fetches and caches; nothing is used whose SHA-256 is not the one written here.
"""

import dataclasses
import hashlib
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Artifact:
    coordinates: str
    sha256: str


JACOCO = Artifact("org.jacoco:org.jacoco.agent:0.8.14:runtime",
                  "3fb76eea65f81bd9415202bab34b6571728841dff1ab8e6bbe81adc2e299face")
COMMONS_LANG_SOURCES = Artifact("org.apache.commons:commons-lang3:3.14.0:sources",
                                "ab3b86afb898f1026dbe43aaf71e9c1d719ec52d6e41887b362d86777c299b6f")
LUCENE = (Artifact("org.apache.lucene:lucene-core:9.12.3",
                   "b64a3f8098a7572034fb30085cdee01b34ec81fb0e5a31b471536af58dc6c01b"),
          Artifact("org.apache.lucene:lucene-analysis-common:9.12.3",
                   "fa571bd7caf0f0b4faf46a72ca004a7836f348c31d92bd522dddcc3d128d287e"))
JACKSON = (Artifact("com.fasterxml.jackson.core:jackson-databind:2.17.2",
                    "c04993f33c0f845342653784f14f38373d005280e6359db5f808701cfae73c0c"),
           Artifact("com.fasterxml.jackson.core:jackson-core:2.17.2",
                    "721a189241dab0525d9e858e5cb604d3ecc0ede081e2de77d6f34fa5779a5b46"),
           Artifact("com.fasterxml.jackson.core:jackson-annotations:2.17.2",
                    "873a606e23507969f9bbbea939d5e19274a88775ea5a169ba7e2d795aa5156e1"))
GROOVY = (Artifact("org.apache.groovy:groovy:4.0.27",
                   "c9103813240be47a6c48bcdda7c5ed2e5fc9ecba3251c6ab8122258230a97f9d"),)


class Missing(Exception):
    """Cannot be had here; the message says why."""


def verified(path, artifact):
    """The path, if its bytes are the artifact's; raises Missing otherwise."""
    found = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    if found != artifact.sha256:
        raise Missing(f"{artifact.coordinates} is not what was pinned: {path} has SHA-256 {found}, not {artifact.sha256}")
    return pathlib.Path(path)


def fetch(artifacts):
    """Their paths, in order."""
    done = subprocess.run([ROOT / "scripts" / "maven-get", *(a.coordinates for a in artifacts)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Missing((done.stderr.strip() or "scripts/maven-get failed").splitlines()[-1])
    return [verified(path, artifact) for path, artifact in zip(done.stdout.split(), artifacts)]
