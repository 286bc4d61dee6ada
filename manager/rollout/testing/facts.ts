import type { AgentFact, Trouble } from '../decide-rollout.ts';

export const READY: Trouble = { reason: '', message: '', isHard: false };
export const BAD_IMAGE: Trouble = { reason: 'ImagePullBackOff', message: 'Back-off pulling image', isHard: true };

/** A Ready agent of an earlier revision; the fields override it. */
export function aFact(key: string, fields: Partial<AgentFact> = {}): AgentFact {
  const [namespace = '', name = ''] = (key.split(' ')[1] ?? '').split('/');
  return {
    ...{ key, kind: 'bmc', namespace, name, group: key },
    note: { revision: 'old', own: '' },
    isReady: true,
    readySince: 0,
    trouble: READY,
    isHeld: false,
    isPinned: false,
    ...fields,
  };
}
