import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';

/** What every request for a version is warned of: its own words, or which version to use in its place. */
export function deprecationWarnings(definition: ApiObject, version: JsonObject): string[] {
  if (version['deprecated'] !== true) return [];
  const { deprecationWarning } = version;
  if (typeof deprecationWarning === 'string') return [deprecationWarning];
  const group = textOr(at(definition, 'spec', 'group'));
  const kind = textOr(at(definition, 'spec', 'names', 'kind'));
  const name = textOr(version['name']);
  const [better] = arrayOr(at(definition, 'spec', 'versions'))
    .filter(isObject)
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map((other) => textOr(other['name']))
    .filter((other) => compareVersions(name, other) < 0)
    .sort((a, b) => compareVersions(b, a));
  const advice = better === undefined ? '' : `; use ${group}/${better} ${kind}`;
  return [`${group}/${name} ${kind} is deprecated${advice}`];
}

const STABILITY = ['alpha', 'beta', ''];

/** By Kubernetes' priority: v2 before v1, v1 before v1beta1, others last. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? 1 : a > b ? -1 : 0;
    return left === undefined ? -1 : 1;
  }
  return left.stability - right.stability || left.major - right.major || left.minor - right.minor;
}

function rankOf(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability = '', minor = '0'] = match;
  return { stability: STABILITY.indexOf(stability), major: Number(major), minor: Number(minor) };
}
