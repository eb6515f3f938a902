/** A session's box in words: what holds, what may be chosen, and what leaving it would mean. */

import type { BoxDetail, BoxLevel, Mode, Network } from "../../api/types.gen";

interface Choice<T extends string> {
  /** Empty: as the repository or the config has it. */
  readonly id: T | "";
  readonly label: string;
  readonly says: string;
}

export const LEVELS: readonly Choice<BoxLevel>[] = [
  { id: "", label: "As configured", says: "what the repository or your config asks for" },
  { id: "full", label: "Full", says: "its files, its git, its processes and its network" },
  { id: "files", label: "Files", says: "what files outside its worktree hold cannot be changed" },
  { id: "none", label: "None", says: "everything runs as you" },
];
export const NETWORKS: readonly Choice<Network>[] = [
  { id: "", label: "As configured", says: "what the repository or your config asks for" },
  { id: "open", label: "Open", says: "everything can be reached" },
  { id: "listed", label: "Listed", says: "known hosts; you are asked about each other one" },
  { id: "none", label: "None", says: "nothing can be reached; its model must run on this machine" },
];
const RANK: Readonly<Record<BoxLevel, number>> = { none: 0, files: 1, full: 2 };
const REACH: Readonly<Record<Network, number>> = { open: 0, listed: 1, none: 2 };

/** On the chip: short, and shorter still where all is well. */
export function boxLabel({ level, network }: BoxDetail): string {
  if (level === "none") return "no box";
  return network === "open" ? `box ${level}` : `box ${level}, network ${network}`;
}

/** All of it in one line. */
export function boxTitle(box: BoxDetail): string {
  const by = box.by ? ` by ${box.by}` : "";
  const network = box.level === "none" ? "" : `, network ${box.network}`;
  const later = box.pending ? "another was chosen, from the next turn" : "";
  const more = [box.promise, box.reason, box.fix, later].filter(Boolean).join("; ");
  return `Box: ${box.level}${by}${network}${more ? `. ${sentence(more)}` : ""}`;
}

/** Whether it is something to be seen. */
export const isLess = ({ level }: BoxDetail): boolean => level !== "full";

/** What would be given up by a choice; nothing where it confines as much as now. */
export function givenUp(box: BoxDetail, level: BoxLevel | "", network: Network | ""): string {
  if (level === "none" && box.wanted !== "none")
    return "Nothing would confine its agent: it could read your keys, change any file of yours and reach everything.";
  if (level !== "" && RANK[level] < RANK[box.wanted])
    return "Only files would be confined: its agent would see your processes, and could reach whatever runs here.";
  if (network !== "" && REACH[network] < REACH[box.wanted_network])
    return "Its agent could reach more than now, and send there what it can read.";
  return "";
}

/** What a mode allows, with what the box guarantees where everything is allowed. */
export function modeSays(mode: Mode, says: string, { level, network, promise }: BoxDetail): string {
  if (mode !== "auto" || !promise) return says;
  return `${says} · in a ${level} box with ${network} network, ${promise}`;
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
