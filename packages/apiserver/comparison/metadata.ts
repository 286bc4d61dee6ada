import fc from 'fast-check';
import { key, rarely, record, some, words } from './arbitraries.ts';
import { OWNER_NAME, OWNER_UID } from './operation.ts';

const owner = record({
  apiVersion: fc.constantFrom('v1', 'v1', 'v1', ''),
  kind: fc.constant('Namespace'),
  name: fc.constant(OWNER_NAME),
  uid: fc.constant(OWNER_UID),
  controller: some(fc.boolean()),
  blockOwnerDeletion: some(fc.constant(true)),
});

/** Labels, annotations, finalizers, owners, and now and then something that is refused or not a client's to say. */
export const metadata = record({
  labels: some(fc.dictionary(key, fc.constantFrom('x', 'y', '', 'not a label'), { maxKeys: 2 })),
  annotations: some(words),
  finalizers: rarely(
    fc.uniqueArray(fc.constantFrom('example.com/one', 'example.com/two', 'none'), { maxLength: 2 }),
    6,
  ),
  ownerReferences: rarely(fc.array(owner, { maxLength: 2 })),
  creationTimestamp: rarely(fc.constantFrom('2020-01-02T03:04:05Z', null), 30),
  generation: rarely(fc.constantFrom(1, 7), 30),
  managedFields: rarely(fc.constantFrom([], [{}]), 30),
  namespace: rarely(fc.constant('elsewhere'), 30),
  unknown: rarely(fc.constant('x'), 30),
}).map(({ ownerReferences, ...rest }) =>
  // At an unknown field kube-apiserver stops looking, and goes through fields in no order; and at another namespace.
  ownerReferences === undefined || rest['unknown'] !== undefined || rest['namespace'] !== undefined
    ? rest
    : { ...rest, ownerReferences },
);
