"""Hosts that a `listed` network reaches by itself: registries, models, and the repository's forge.

Public services only, by their exact names where these are known: a name that anybody may have a
page below is a way out for everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from manyhands.box.network.addresses import objection
from manyhands.box.network.hosts import HostPort, address_of, normal_host, target_of_url

REGISTRIES: dict[str, tuple[str, ...]] = {
    "Python": ("pypi.org", "files.pythonhosted.org", "pypi.python.org", "conda.anaconda.org"),
    "JavaScript": ("registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "jsr.io"),
    "Node.js": ("nodejs.org", "npm.jsr.io", "deno.land"),
    "Rust": (
        *("crates.io", "index.crates.io", "static.crates.io"),
        *("static.rust-lang.org", "sh.rustup.rs"),
    ),
    "Go": ("proxy.golang.org", "sum.golang.org", "go.dev", "dl.google.com"),
    "Ruby": ("rubygems.org", "index.rubygems.org"),
    "Java": (
        *("repo.maven.apache.org", "repo1.maven.org", "central.sonatype.com"),
        *("plugins.gradle.org", "plugins-artifacts.gradle.org", "services.gradle.org"),
        *("downloads.gradle.org", "maven.google.com", "dl.google.com"),
    ),
    "PHP": ("repo.packagist.org", "packagist.org", "getcomposer.org"),
    ".NET": ("api.nuget.org", "www.nuget.org", "globalcdn.nuget.org"),
    "Elixir": ("hex.pm", "repo.hex.pm", "builds.hex.pm"),
    "Haskell": ("hackage.haskell.org", "downloads.haskell.org"),
    "Dart": ("pub.dev",),
    "Debian": ("deb.debian.org", "security.debian.org", "ftp.debian.org"),
    "Ubuntu": (
        *("archive.ubuntu.com", "*.archive.ubuntu.com", "security.ubuntu.com"),
        "ports.ubuntu.com",
    ),
    "Alpine": ("dl-cdn.alpinelinux.org",),
    "Fedora": ("mirrors.fedoraproject.org", "dl.fedoraproject.org", "download.fedoraproject.org"),
}

MODELS: dict[str, tuple[str, ...]] = {
    "Anthropic": (
        *("api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"),
        "statsig.anthropic.com",
    ),
    "OpenAI": ("api.openai.com", "auth.openai.com", "chatgpt.com"),
    "Google": (
        *("generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com"),
        *("aiplatform.googleapis.com", "oauth2.googleapis.com"),
    ),
    "Mistral": ("api.mistral.ai", "codestral.mistral.ai"),
    "GitHub Copilot": ("api.githubcopilot.com", "*.githubcopilot.com"),
    "opencode": ("opencode.ai", "models.dev"),
    "Amp": ("ampcode.com",),
    "Cursor": ("api2.cursor.sh", "api3.cursor.sh"),
    "OpenRouter": ("openrouter.ai",),
    "DeepSeek": ("api.deepseek.com",),
    "xAI": ("api.x.ai",),
    "Groq": ("api.groq.com",),
    "Cohere": ("api.cohere.com",),
    "Together": ("api.together.xyz",),
    "Fireworks": ("api.fireworks.ai",),
    "Cerebras": ("api.cerebras.ai",),
    "Moonshot": ("api.moonshot.ai", "api.moonshot.cn"),
    "Z.ai": ("api.z.ai", "open.bigmodel.cn"),
    "Qwen": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
}

BESIDE: dict[str, tuple[str, ...]] = {
    "github.com": (
        *("api.github.com", "codeload.github.com", "raw.githubusercontent.com"),
        *("objects.githubusercontent.com", "release-assets.githubusercontent.com"),
        *("github-cloud.githubusercontent.com", "media.githubusercontent.com"),
        "github-cloud.s3.amazonaws.com",
    ),
    "gitlab.com": ("registry.gitlab.com",),
    "bitbucket.org": ("api.bitbucket.org",),
    "codeberg.org": (),
}
"""What a forge serves under other names: archives, large files, its API."""
_LIKE_SCP = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(?!//|:)")
_URL = re.compile(r"https?://[^\s\"'<>,;]+")


def known_hosts() -> list[str]:
    """Registries and models."""
    return [host for hosts in (*REGISTRIES.values(), *MODELS.values()) for host in hosts]


def own_hosts(remotes: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """What a user has set up: the forges of a repository's remotes, and where the variables of an
    agent lead. They may be in a private network."""
    forges = [host for remote in remotes for host in forge_hosts(remote)]
    return [*forges, *(str(target) for target in targets_in(env) if not is_here(target))]


def forge_hosts(remote: str) -> list[str]:
    """The host of a remote's URL, whatever its form, and what belongs to it; none for a path."""
    target = target_of_url(remote)
    if target is not None:
        return [str(target), *BESIDE.get(target.host, ())]
    try:
        parts = urlsplit(remote)
        if parts.scheme in ("ssh", "git", "git+ssh", "git+https"):
            host = normal_host(parts.hostname or "")
        elif "://" not in remote and (like := _LIKE_SCP.match(remote)):
            host = normal_host(like[1])
        else:
            return []
    except ValueError:
        return []
    host = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}.get(host, host)
    return [host, *BESIDE.get(host, ())]


def targets_in(env: Mapping[str, str]) -> list[HostPort]:
    """Where the http(s) URLs among an agent's own variables lead: its model, as a rule."""
    urls = (url for value in env.values() for url in _URL.findall(value))
    return list(dict.fromkeys(t for url in urls if (t := target_of_url(url)) is not None))


def loopback_ports(env: Mapping[str, str]) -> list[int]:
    """Ports of this machine that an agent's own variables name: they have to be carried in."""
    return list(dict.fromkeys(t.port for t in targets_in(env) if is_here(t)))


def is_here(target: HostPort) -> bool:
    if target.host == "localhost" or target.host.endswith(".localhost"):
        return True
    address = address_of(target.host)
    return address is not None and "this machine" in objection(address, private=True)
