/** A CEL expression that must be true for the webhook to be called. */
export interface MatchCondition {
  name: string;
  expression: string;
}

/** Controllers that clean up objects. If an unreachable webhook blocked them, no namespace could be deleted. */
const CLUSTERS_OWN = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
];

/** Excludes the cluster's own controllers, and the manager if it has its own account. */
export function notOurs(username: string | undefined): MatchCondition {
  const names = [...CLUSTERS_OWN, ...(username?.startsWith('system:serviceaccount:') === true ? [username] : [])];
  return { name: 'not-by-controllers', expression: `!(request.userInfo.username in ${JSON.stringify(names)})` };
}

/** Excludes objects that are being deleted. */
export const NOT_GOING: MatchCondition = {
  name: 'not-going',
  expression:
    'request.operation == "DELETE" ? !has(oldObject.metadata.deletionTimestamp) : !has(object.metadata.deletionTimestamp)',
};

/** Excludes changes of labels, annotations, finalizers and owners only. */
export const SPEC_CHANGES: MatchCondition = {
  name: 'spec-changes',
  expression: 'request.operation != "UPDATE" || object.spec != oldObject.spec',
};

/** Matches VMs with a Multus interface that has no MAC address. */
export const LACKS_MAC: MatchCondition = {
  name: 'lacks-mac',
  expression:
    'has(object.spec.template.spec.networks) && object.spec.template.spec.networks.exists(n, has(n.multus)) && ' +
    'has(object.spec.template.spec.domain.devices.interfaces) && ' +
    'object.spec.template.spec.domain.devices.interfaces.exists(i, !has(i.macAddress) || i.macAddress == "")',
};
