/** The ways to merge, in words. */

import type { MergeMethod } from "../../api/landing";

export const METHODS: readonly {
  readonly id: MergeMethod;
  readonly label: string;
  readonly title: string;
}[] = [
  { id: "merge", label: "merge", title: "A merge commit, with the commits as they are" },
  { id: "squash", label: "squash", title: "One commit with all of it" },
  { id: "rebase", label: "rebase", title: "Each commit on top of the branch, by its own author" },
];
