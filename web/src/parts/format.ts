/** Numbers as a person reads them. */

export function money(usd: number): string {
  return usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

/** A moment of a log, to the second and in as little room as it takes. */
export function clock(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3));
  const value = size / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Large counts in short: 12.3k, 4.6M. */
export function count(number: number): string {
  if (number < 1000) return `${Math.round(number)}`;
  const [value, unit] = number < 1e6 ? [number / 1e3, "k"] : [number / 1e6, "M"];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** A length of time to the minute: 1 h 05 min. */
export function span(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${`${minutes % 60}`.padStart(2, "0")} min`;
}
