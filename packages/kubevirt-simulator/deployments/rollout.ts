/** A ReplicaSet as a rollout sees it. */
export interface Share {
  name: string;
  /** Pods wanted of it. */
  replicas: number;
  /** Pods of it that are available. */
  available: number;
}

export interface Rollout {
  /** Pods wanted in all. */
  replicas: number;
  /** Pods that may be there beyond these, and that may be missing of these. */
  maxSurge: number;
  maxUnavailable: number;
  current: Share;
  /** Oldest first. */
  old: readonly Share[];
}

/** Pods wanted of each ReplicaSet from now on, by name: those that change. */
export type Scales = ReadonlyMap<string, number>;

/** One step of a rolling update: as many more of the current pods as the surge allows, then fewer of the old. */
export function rollingUpdate(rollout: Rollout): Scales {
  const { replicas, maxSurge, current, old } = rollout;
  const total = current.replicas + sum(old, ({ replicas: wanted }) => wanted);
  if (current.replicas > replicas) return new Map([[current.name, replicas]]);
  const room = Math.min(replicas + maxSurge - total, replicas - current.replicas);
  if (room > 0) return new Map([[current.name, current.replicas + room]]);
  return scaleDown(rollout, total);
}

function scaleDown({ replicas, maxUnavailable, current, old }: Rollout, total: number): Scales {
  const least = replicas - maxUnavailable;
  const scales = new Map<string, number>();
  // Old pods that are not available serve nobody: they go first, as long as the current ones that are missing are paid for.
  let spare = total - least - (current.replicas - current.available);
  for (const share of old) {
    const broken = Math.min(share.replicas - share.available, spare);
    if (broken <= 0) continue;
    scales.set(share.name, share.replicas - broken);
    spare -= broken;
  }
  let surplus = current.available + sum(old, ({ available }) => available) - least;
  for (const share of old) {
    const wanted = scales.get(share.name) ?? share.replicas;
    const fewer = Math.min(wanted, surplus, spare);
    if (fewer <= 0) continue;
    scales.set(share.name, wanted - fewer);
    surplus -= fewer;
    spare -= fewer;
  }
  return scales;
}

/** Old pods go, and only when they are gone the current ones come. */
export function recreate(rollout: Omit<Rollout, 'maxSurge' | 'maxUnavailable'>, oldPodsRun: boolean): Scales {
  const { replicas, current, old } = rollout;
  const remaining = old.filter((share) => share.replicas > 0);
  if (remaining.length > 0) return new Map(remaining.map(({ name }) => [name, 0]));
  return oldPodsRun || current.replicas === replicas ? new Map() : new Map([[current.name, replicas]]);
}

/** The two limits as numbers: of percentages the surge is rounded up, the other down; both cannot be 0. */
export function limitsOf(
  replicas: number,
  limits: { maxSurge?: number | string; maxUnavailable?: number | string },
): { maxSurge: number; maxUnavailable: number } {
  const maxSurge = resolve(limits.maxSurge ?? '25%', replicas, Math.ceil);
  const maxUnavailable = resolve(limits.maxUnavailable ?? '25%', replicas, Math.floor);
  return maxSurge === 0 && maxUnavailable === 0 ? { maxSurge, maxUnavailable: 1 } : { maxSurge, maxUnavailable };
}

function resolve(limit: number | string, replicas: number, round: (value: number) => number): number {
  return typeof limit === 'number' ? limit : round((Number.parseInt(limit, 10) * replicas) / 100);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
