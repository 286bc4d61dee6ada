import type { NetworkAttachmentDefinition } from '../../../api/index.ts';
import type { Deployment, KubeObject, Pod } from '@groundcrew/controller-runtime';
import type { ChildDraft, ChildName } from './children/children.ts';

/** All inputs for one network, read at one time. */
export interface NetworkInputs {
  /** The desired objects of the agents; undefined if unknown: existing objects are then kept. */
  drafts: readonly ChildDraft[] | undefined;
  /** The existing objects with the names of the drafts, in the order of the drafts. */
  standing: readonly ChildFact[];
  /** All objects created for the network, desired or not. */
  made: readonly Made[];
  pods: readonly Pod[];
  /** Milliseconds since 1970. */
  now: number;
}

/** `MultusAbsent`: the cluster does not have the resource net-attach-def. */
export type AttachmentFact = 'MultusAbsent' | 'Missing' | NetworkAttachmentDefinition;

/** The object with the name of a child. `Theirs`: not created for this network; it is not changed. */
export type ChildFact = { standing: 'Absent' } | { standing: 'Ours' | 'Theirs'; object: KubeObject };

export type Made = { child: 'deployment'; object: Deployment } | { child: ChildName; object: KubeObject };

export interface Refusal {
  /** Kind and name. */
  object: string;
  /** The server's message, or what prevents the change. */
  message: string;
}
