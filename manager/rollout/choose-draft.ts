import type { Draft, Pod } from '@groundcrew/controller-runtime';
import { agentState, type Workload } from './agent-state.ts';
import { isBroken } from './decide-rollout.ts';
import { readNote, withNote } from './note.ts';
import type { Turn } from './gate.ts';
import type { AgentSettings } from '../agent-workload/index.ts';

export interface Agent<W extends Workload = Workload> {
  /** Its Deployment or StatefulSet, if it exists. */
  existing: W | undefined;
  /** Annotation of the pod template with its digest. */
  hashAnnotation: string;
  /** Digest of the inputs that are the agent's own and not the installation's. */
  own: string;
  pods: readonly Pod[];
  /** The workload with these settings of the installation. */
  render: (settings: AgentSettings) => Draft<W>;
}

/**
 * The Deployment or StatefulSet that an agent should have. A change of its own resource is always applied; a new revision of the installation's
 * settings when it is the agent's turn, or at once if that changes nothing in its pod.
 *
 * @param now RFC 3339
 * @returns undefined: leave it as it is
 */
export function chooseDraft<W extends Workload>(agent: Agent<W>, turn: Turn, now: string): Draft<W> | undefined {
  const { existing, own, pods, hashAnnotation, render } = agent;
  const { target, fresh, wave, attempt } = turn;
  if (existing === undefined) return withNote(render(fresh.settings), { revision: fresh.name, own, wave: 0, at: now });
  const note = readNote(existing);
  const newest = render(target.settings);
  if (note?.revision === target.name) return withNote(newest, { ...note, own });
  const hash = (workload: Pick<Workload, 'spec'>): string | undefined =>
    workload.spec?.template.metadata?.annotations?.[hashAnnotation];
  if (hash(existing) === hash(newest)) return withNote(newest, { revision: target.name, own });
  if (wave !== undefined) {
    const { isReady, trouble } = agentState(existing, pods, hashAnnotation);
    const wasReady = isReady || isBroken(note, trouble);
    return withNote(newest, { revision: target.name, own, wave, attempt, at: now, wasReady });
  }
  if (note === undefined) return undefined;
  const kept = turn.known(note.revision);
  // A newer manager renders another workload from the same settings. The agent gets it only with a change of its own.
  if (kept === undefined || (!kept.isExact && note.own === own)) return undefined;
  return withNote(render(kept.settings), { ...note, own });
}
