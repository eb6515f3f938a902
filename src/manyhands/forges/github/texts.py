"""What is asked of GitHub by GraphQL, since its other API does not tell."""

from __future__ import annotations

_SAID = (
    "nodes { body url databaseId createdAt author { login __typename } } "
    "pageInfo { hasNextPage endCursor }"
)
THREADS = f"""
query($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 100, after: $after) {{
        nodes {{
          id isResolved isOutdated path line
          comments(first: 50) {{ {_SAID} }}
        }}
        pageInfo {{ hasNextPage endCursor }}
      }}
    }}
  }}
}}
"""
THREAD_REST = f"""
query($id: ID!, $after: String) {{
  node(id: $id) {{
    ... on PullRequestReviewThread {{ comments(first: 100, after: $after) {{ {_SAID} }} }}
  }}
}}
"""
QUEUE = """
query($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) { mergeQueue(branch: $branch) { id } }
}
"""
IN_QUEUE = """
query($id: ID!) {
  node(id: $id) { ... on PullRequest { isInMergeQueue autoMergeRequest { enabledAt } } }
}
"""
