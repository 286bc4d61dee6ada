import type { Draft, KubeObject } from '@groundcrew/controller-runtime';

/** Annotation of an agent's workload: the revision that made it, as JSON. */
const NOTE_ANNOTATION = 'bmc.kubevirt.io/rollout';

/** What the manager notes on an agent's workload, in the same write as the change. So a killed manager loses nothing. */
export interface Note {
  /** The revision of the installation's settings that the workload has. */
  revision: string;
  /** Digest of the agent's own inputs, such as `spec.agent` of its BMC. */
  own: string;
  /** Absent: the revision changed nothing in the agent's pod. 0: the agent was created with it. */
  wave?: number;
  attempt?: number;
  /** Time of the change, RFC 3339. */
  at?: string;
  /** Whether the agent was Ready before the change. */
  wasReady?: boolean;
}

export function readNote({ metadata }: Pick<KubeObject, 'metadata'>): Note | undefined {
  try {
    const note = JSON.parse(metadata.annotations?.[NOTE_ANNOTATION] ?? 'null') as Note | null;
    return typeof note?.revision === 'string' && typeof note.own === 'string' ? note : undefined;
  } catch {
    return undefined; // changed by another client
  }
}

export function withNote<W extends KubeObject>(draft: Draft<W>, note: Note): Draft<W> {
  const { revision, own, wave, attempt, at, wasReady } = note;
  // In a fixed order: the text is compared.
  const text = JSON.stringify({ revision, own, wave, attempt, at, wasReady });
  const annotations = { ...draft.metadata.annotations, [NOTE_ANNOTATION]: text };
  return { ...draft, metadata: { ...draft.metadata, annotations } };
}
