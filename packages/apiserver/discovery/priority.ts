/** Of the groups that a kube-apiserver has itself; those of CustomResourceDefinitions have 1000. */
const PRIORITIES: Readonly<Record<string, number>> = {
  'apiregistration.k8s.io': Infinity,
  apps: 17800,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  'coordination.k8s.io': 16500,
  'discovery.k8s.io': 16200,
};

const CUSTOM = 1000;

/** What clients look through first. `given`: the priority in a group's APIService. */
export function groupPriority(name: string, given: number | undefined): number {
  return PRIORITIES[name] ?? given ?? CUSTOM;
}

/** v2 before v1 before v1beta2 before v1alpha1, and all of these before other words. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  const difference = left.map((value, index) => value - (right[index] ?? 0)).find((value) => value !== 0);
  return difference ?? (a < b ? -1 : 1);
}

function rank(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [3, 0, 0];
  const stage = match[2] === undefined ? 0 : match[2] === 'beta' ? 1 : 2;
  return [stage, -Number(match[1]), -Number(match[3] ?? 0)];
}
