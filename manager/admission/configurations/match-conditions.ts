/** A condition in the Common Expression Language under which a webhook is asked. */
export interface MatchCondition {
  name: string;
  expression: string;
}

/** Those that end objects for the cluster: were they held up by a server that is gone, no namespace could go. */
const CLUSTERS_OWN = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
];

/** Who is never asked about: the cluster's own controllers, and the manager where it has an account of its own. */
export function notOurs(username: string | undefined): MatchCondition {
  const names = [...CLUSTERS_OWN, ...(username?.startsWith('system:serviceaccount:') === true ? [username] : [])];
  return { name: 'not-by-controllers', expression: `!(request.userInfo.username in ${JSON.stringify(names)})` };
}

/** An object on its way out is not held up. */
export const NOT_GOING: MatchCondition = {
  name: 'not-going',
  expression:
    'request.operation == "DELETE" ? !has(oldObject.metadata.deletionTimestamp) : !has(object.metadata.deletionTimestamp)',
};

/** Labels, annotations, finalizers and owners are nobody's business here. */
export const SPEC_CHANGES: MatchCondition = {
  name: 'spec-changes',
  expression: 'request.operation != "UPDATE" || object.spec != oldObject.spec',
};

/** VMs with an interface on a network of their own are few among many. */
export const LACKS_MAC: MatchCondition = {
  name: 'lacks-mac',
  expression:
    'has(object.spec.template.spec.networks) && object.spec.template.spec.networks.exists(n, has(n.multus)) && ' +
    'has(object.spec.template.spec.domain.devices.interfaces) && ' +
    'object.spec.template.spec.domain.devices.interfaces.exists(i, !has(i.macAddress) || i.macAddress == "")',
};
