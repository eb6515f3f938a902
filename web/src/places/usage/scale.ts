/** Where a plot's axis ends and which values stand on it. */

/** The next round value above; `ground` is 10 for counts and 60 for time. */
export function niceTop(most: number, ground: number): number {
  if (!(most > 0)) return 1;
  const size = ground ** Math.floor(Math.log(most) / Math.log(ground));
  const steps = ground === 10 ? [1, 2, 4, 5, 10] : [1, 2, 5, 10, 20, 30, 60];
  return (steps.find((step) => step * size >= most) ?? ground) * size;
}

export function ticksOf(top: number): number[] {
  return [top, top / 2];
}
