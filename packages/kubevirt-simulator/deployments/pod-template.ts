import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from '@groundcrew/controller-runtime';

export type PodTemplate = NonNullable<Deployment['spec']>['template'];

export const HASH_LABEL = 'pod-template-hash';

/** Letters and digits that make no words: the alphabet of Kubernetes' generated names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A name for a template's content: equal templates have equal hashes. */
export function hashOf(template: PodTemplate): string {
  const digest = createHash('sha256').update(JSON.stringify(template)).digest();
  return [...digest.subarray(0, 10)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Five characters that make an object's name its own. */
export function nameSuffix(random: (size: number) => Buffer): string {
  return [...random(5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Whether two templates make the same pods: they differ in nothing but the hash that a ReplicaSet adds. */
export function sameTemplate(left: PodTemplate, right: PodTemplate): boolean {
  return isDeepStrictEqual(withoutHash(left), withoutHash(right));
}

function withoutHash(template: PodTemplate): unknown {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  // Through JSON: a field that is undefined is a field that is not there. A ReplicaSet's template has no times.
  const { creationTimestamp: _time, ...metadata } = template.metadata ?? {};
  return JSON.parse(JSON.stringify({ ...template, metadata: { ...metadata, labels } })) as unknown;
}

export function withHash(template: PodTemplate, hash: string): PodTemplate {
  return {
    ...template,
    metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [HASH_LABEL]: hash } },
  };
}
