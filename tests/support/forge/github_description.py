"""GitHub's published descriptions, and requests and answers held against them."""

from __future__ import annotations

import functools

import graphql

from tests.support.forge.description import Published
from tests.support.published import load_published

OPENAPI = (
    "@octokit/openapi@23.0.2",
    "71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c",
    "package/generated/api.github.com.json",
)
GRAPHQL = (
    "@octokit/graphql-schema@15.26.1",
    "053e74249dafce2118fd9b7ae499b067d57c5f910c57745699ac45108bc68d1e",
    "package/schema.graphql",
)


class Description(Published):
    def __init__(self) -> None:
        near = ("/repos/{owner}", "/search/", "/user")
        super().__init__("github", load_published(*OPENAPI), near)

    @functools.cached_property
    def graphql(self) -> graphql.GraphQLSchema:
        text = load_published(*GRAPHQL).decode()
        return graphql.build_schema(text, assume_valid=True, no_location=True)
