import { requireBytes } from '../packet-error.ts';
import type { AlgorithmProposal, CipherSuite } from './cipher-suite.ts';
import { type ConsoleSessionId, consoleSessionId, type ManagedSessionId, managedSessionId } from './session-id.ts';

/** Status codes of RMCP+ and RAKP that this BMC uses, IPMI 2.0 table 13-15. */
export const STATUS = {
  noErrors: 0x00,
  insufficientResources: 0x01,
  invalidSessionId: 0x02,
  invalidPayloadType: 0x03,
  invalidRole: 0x09,
  unauthorizedRole: 0x0a,
  invalidNameLength: 0x0c,
  unauthorizedName: 0x0d,
  invalidIntegrityCheckValue: 0x0f,
  noCipherSuiteMatch: 0x11,
  illegalParameter: 0x12,
} as const;

export type StatusCode = (typeof STATUS)[keyof typeof STATUS];

/** RMCP+ Open Session Request, IPMI 2.0 §13.17. */
export interface OpenSessionRequest extends AlgorithmProposal {
  tag: number;
  /** Maximum privilege level of the session; 0 requests the highest available level. */
  maxPrivilege: number;
  consoleId: ConsoleSessionId;
}

/** RMCP+ Open Session Response, IPMI 2.0 §13.18, with success status. */
export interface OpenSessionResponse {
  tag: number;
  maxPrivilege: number;
  consoleId: ConsoleSessionId;
  managedId: ManagedSessionId;
  suite: Pick<CipherSuite, 'authentication' | 'integrity' | 'confidentiality'>;
}

/** A response with only a status and its recipient: the error form of all four responses. */
export interface Refusal {
  tag: number;
  status: StatusCode;
  consoleId: ConsoleSessionId;
}

const REQUEST_LENGTH = 32;
const RESPONSE_LENGTH = 36;
const REFUSAL_LENGTH = 8;
const ALGORITHM_PAYLOAD_LENGTH = 8;
const ALGORITHM_TYPES = ['authentication', 'integrity', 'confidentiality'] as const;

/**
 * Decodes a request, or returns the refusal of one with an invalid algorithm payload.
 *
 * @throws PacketError `Malformed` if it is too short to contain the client's session ID
 */
export function decodeOpenSessionRequest(payload: Buffer): OpenSessionRequest | Refusal {
  requireBytes(payload, REFUSAL_LENGTH, 'Open Session Request');
  const tag = payload.readUInt8(0);
  const consoleId = consoleSessionId(payload.readUInt32LE(4));
  const status = faultOfAlgorithms(payload);
  if (status !== undefined) return { tag, status, consoleId };
  const [authentication, integrity, confidentiality] = [0, 1, 2].map((type) => decodeAlgorithm(payload, type));
  return { tag, maxPrivilege: payload.readUInt8(1) & 0x0f, consoleId, authentication, integrity, confidentiality };
}

export function encodeOpenSessionRequest(request: OpenSessionRequest): Buffer {
  const payload = Buffer.alloc(REQUEST_LENGTH);
  payload.writeUInt8(request.tag, 0);
  payload.writeUInt8(request.maxPrivilege, 1);
  payload.writeUInt32LE(request.consoleId, 4);
  writeAlgorithms(payload, 8, request);
  return payload;
}

export function encodeOpenSessionResponse(response: OpenSessionResponse): Buffer {
  const payload = Buffer.alloc(RESPONSE_LENGTH);
  payload.writeUInt8(response.tag, 0);
  payload.writeUInt8(response.maxPrivilege, 2);
  payload.writeUInt32LE(response.consoleId, 4);
  payload.writeUInt32LE(response.managedId, 8);
  writeAlgorithms(payload, 12, response.suite);
  return payload;
}

/** Decodes a successful response; use {@link decodeRefusal} first. */
export function decodeOpenSessionResponse(payload: Buffer): OpenSessionResponse {
  requireBytes(payload, RESPONSE_LENGTH, 'Open Session Response');
  return {
    tag: payload.readUInt8(0),
    maxPrivilege: payload.readUInt8(2) & 0x0f,
    consoleId: consoleSessionId(payload.readUInt32LE(4)),
    managedId: managedSessionId(payload.readUInt32LE(8)),
    suite: {
      authentication: payload.readUInt8(16),
      integrity: payload.readUInt8(24),
      confidentiality: payload.readUInt8(32),
    },
  };
}

/** The error response to Open Session, RAKP 1 and RAKP 3: the fields after the session ID are absent. */
export function encodeRefusal(refusal: Refusal): Buffer {
  const payload = Buffer.alloc(REFUSAL_LENGTH);
  payload.writeUInt8(refusal.tag, 0);
  payload.writeUInt8(refusal.status, 1);
  payload.writeUInt32LE(refusal.consoleId, 4);
  return payload;
}

/** Tag and status at the start of each response. */
export function decodeRefusal(payload: Buffer): { tag: number; status: number; consoleId: ConsoleSessionId } {
  requireBytes(payload, REFUSAL_LENGTH, 'RMCP+ status');
  return {
    tag: payload.readUInt8(0),
    status: payload.readUInt8(1),
    consoleId: consoleSessionId(payload.readUInt32LE(4)),
  };
}

/** The status for algorithm payloads that are missing, of another type or of another length; undefined if they are valid. */
function faultOfAlgorithms(payload: Buffer): StatusCode | undefined {
  if (payload.length < REQUEST_LENGTH) return STATUS.illegalParameter;
  for (const type of ALGORITHM_TYPES.keys()) {
    const start = algorithmStart(type);
    const length = payload.readUInt8(start + 3);
    if (payload.readUInt8(start) !== type) return STATUS.invalidPayloadType;
    if (length !== 0 && length !== ALGORITHM_PAYLOAD_LENGTH) return STATUS.illegalParameter;
  }
  return undefined;
}

/** One algorithm payload: type, reserved, length (8, or 0 to let the BMC choose), algorithm. */
function decodeAlgorithm(payload: Buffer, type: number): number | undefined {
  const start = algorithmStart(type);
  return payload.readUInt8(start + 3) === 0 ? undefined : payload.readUInt8(start + 4) & 0x3f;
}

function algorithmStart(type: number): number {
  return 8 + type * ALGORITHM_PAYLOAD_LENGTH;
}

function writeAlgorithms(payload: Buffer, offset: number, algorithms: AlgorithmProposal): void {
  for (const [type, name] of ALGORITHM_TYPES.entries()) {
    const start = offset + type * ALGORITHM_PAYLOAD_LENGTH;
    const algorithm = algorithms[name];
    payload.writeUInt8(type, start);
    payload.writeUInt8(algorithm === undefined ? 0 : ALGORITHM_PAYLOAD_LENGTH, start + 3);
    payload.writeUInt8(algorithm ?? 0, start + 4);
  }
}
