import type { JsonObject } from '../json.ts';
import type { User } from './user.ts';

/** A user as the API writes one: authentication.k8s.io/v1 UserInfo. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const lists: [string, string[]][] = Object.entries(extra ?? {}).map(([key, values]) => [key, [...values]]);
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(lists.length === 0 ? {} : { extra: Object.fromEntries(lists) }),
  };
}
