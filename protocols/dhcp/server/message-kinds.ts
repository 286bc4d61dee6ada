import { MESSAGE_TYPE } from '../codec/message-type.ts';
import type { MessageType } from '../observer.ts';
import { decline } from './rules/decline.ts';
import { discover } from './rules/discover.ts';
import { inform } from './rules/inform.ts';
import { release } from './rules/release.ts';
import { request } from './rules/request.ts';
import type { Rule } from './rules/rule.ts';

/** A message type that servers receive, and its rule. */
export interface MessageKind {
  readonly type: MessageType;
  readonly decide: Rule;
}

const UNKNOWN: MessageKind = { type: 'Unknown', decide: () => 'Ignored' };

const KINDS = new Map<number, MessageKind>([
  [MESSAGE_TYPE.discover, { type: 'Discover', decide: discover }],
  [MESSAGE_TYPE.request, { type: 'Request', decide: request }],
  [MESSAGE_TYPE.decline, { type: 'Decline', decide: decline }],
  [MESSAGE_TYPE.release, { type: 'Release', decide: release }],
  [MESSAGE_TYPE.inform, { type: 'Inform', decide: inform }],
]);

/** By option 53. BOOTP messages, without the option, and server messages get no answer. */
export function messageKind(type: number | undefined): MessageKind {
  return (type === undefined ? undefined : KINDS.get(type)) ?? UNKNOWN;
}
