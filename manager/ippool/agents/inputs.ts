import type { NetworkAttachmentDefinition } from '../../../api/index.ts';
import type { Deployment, KubeObject, Pod } from '@groundcrew/controller-runtime';
import type { ChildDraft, ChildName } from './children/children.ts';

/** All that is evaluated of one network, read in one go. */
export interface NetworkInputs {
  /** What should be there for the agents; undefined where that cannot be told, so that what is there stays. */
  drafts: readonly ChildDraft[] | undefined;
  /** What bears the name of a draft; undefined: nothing. In the order of the drafts. */
  standing: readonly ChildFact[];
  /** What was made for the network, whether or not it should be there. */
  made: readonly Made[];
  pods: readonly Pod[];
  /** Milliseconds since 1970. */
  now: number;
}

/** `MultusAbsent`: the cluster does not know net-attach-defs. */
export type AttachmentFact = 'MultusAbsent' | 'Missing' | NetworkAttachmentDefinition;

/** What bears the name of a child. `Theirs`: not made for this network, so not to be touched. */
export type ChildFact = { standing: 'Absent' } | { standing: 'Ours' | 'Theirs'; object: KubeObject };

export type Made = { child: 'deployment'; object: Deployment } | { child: ChildName; object: KubeObject };

export interface Refusal {
  /** Kind and name. */
  object: string;
  /** What the server said, or what is in the way. */
  message: string;
}
