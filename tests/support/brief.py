"""For agents that live for seconds."""

from __future__ import annotations

BRIEF = {"BUN_JSC_useDFGJIT": "0", "BUN_JSC_useFTLJIT": "0"}
"""Without the compilers that pay off after minutes, Claude Code costs a quarter less."""
