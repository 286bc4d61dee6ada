import { decodeSessionlessPacket15 } from '../ipmi15/session-header.ts';
import { decodeResponse } from '../message/lan-message.ts';
import { ASF_TYPE, decodeAsf, decodeRmcpClass, RMCP_CLASS, RMCP_HEADER_LENGTH } from '../rmcp.ts';
import {
  AUTH_TYPE_RMCPPLUS,
  decodeSessionlessPacket,
  PAYLOAD_OFFSET,
  PAYLOAD_TYPE,
  sessionIdOf,
} from '../rmcpplus/packet.ts';

/** Maximum ratio of answer to request size before authentication, so that a BMC cannot be used for amplification. */
const AMPLIFICATION = 3;
/** Length of the error form of Open Session Response, RAKP 2 and RAKP 4. */
const REFUSAL_LENGTH = 8;
/** Lengths of successful responses: IPMI 2.0 §13.18, §13.21 and §13.23, with the codes of suites 3 and 17. */
const GRANT_LENGTHS: Readonly<Record<number, readonly number[]>> = {
  [PAYLOAD_TYPE.openSessionResponse]: [36],
  [PAYLOAD_TYPE.rakp2]: [60, 72],
  [PAYLOAD_TYPE.rakp4]: [20, 24],
};

/** Why the answer to a packet outside of a session violates the specification; undefined if it does not. */
export function faultOfAnswer(question: Buffer, answers: readonly Buffer[]): string | undefined {
  const [answer] = answers;
  if (answer === undefined) return undefined;
  if (answers.length > 1) return `${answers.length} answers`;
  if (answer.length > question.length * AMPLIFICATION) return `${answer.length} bytes for ${question.length}`;
  try {
    return decodeRmcpClass(answer) === RMCP_CLASS.asf ? faultOfPong(answer) : faultOfPacket(answer);
  } catch (error) {
    return `cannot be read: ${String(error)}`;
  }
}

function faultOfPong(answer: Buffer): string | undefined {
  return decodeAsf(answer).type === ASF_TYPE.presencePong && answer.length === 28 ? undefined : 'no pong';
}

function faultOfPacket(answer: Buffer): string | undefined {
  if (answer[RMCP_HEADER_LENGTH] !== AUTH_TYPE_RMCPPLUS) return faultOfResponse(decodeSessionlessPacket15(answer));
  if (sessionIdOf(answer) !== 0) return 'has a session ID';
  const { payloadType, payload } = decodeSessionlessPacket(answer);
  if (payload.length !== answer.length - PAYLOAD_OFFSET) return 'is longer than it says';
  if (payloadType === PAYLOAD_TYPE.ipmi) return faultOfResponse(payload);
  const grants = GRANT_LENGTHS[payloadType];
  if (grants === undefined) return `payload type ${payloadType}`;
  const isGrant = payload[1] === 0;
  return (isGrant ? grants.includes(payload.length) : payload.length === REFUSAL_LENGTH)
    ? undefined
    : `status ${payload[1]} in ${payload.length} bytes`;
}

/** A response has an odd network function, and no data after an error completion code. */
export function faultOfResponse(message: Buffer): string | undefined {
  const { netFn, completionCode, data } = decodeResponse(message);
  if ((netFn & 1) === 0) return `network function ${netFn}`;
  if (completionCode === 0xff) return 'completion code 0xFF, a fault of ours';
  return completionCode !== 0 && data.length > 0 ? `data after completion code ${completionCode}` : undefined;
}
