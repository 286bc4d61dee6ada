import { COMPLETION, CompletionError, NET_FN } from '../../message/codes.ts';
import { cipherSuite, type CipherSuiteId } from '../../rmcpplus/cipher-suite.ts';
import type { PublicCommand } from '../command.ts';
import { LAN_CHANNEL, requireLanChannel } from './channel.ts';

const LIST_BY_SUITE = 0x80;
const LIST_INDEX_MASK = 0x3f;
const MAX_PAYLOAD_TYPE = 0x3f;
/** Record bytes per response; a client increments the index until a response is shorter. */
const CHUNK = 16;
/** First byte of the record of a suite defined by the specification. */
const STANDARD_SUITE = 0xc0;
const INTEGRITY_TAG = 0x40;
const CONFIDENTIALITY_TAG = 0x80;

/** Get Channel Cipher Suites, IPMI 2.0 §22.15. ipmitool sends it before each log-in and waits 10 s for an answer. */
export const getChannelCipherSuites: PublicCommand = {
  name: 'Get Channel Cipher Suites',
  netFn: NET_FN.app,
  command: 0x54,
  privilege: 'None',
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, { bmc }) => {
    requireLanChannel(request.readUInt8(0));
    if (request.readUInt8(1) > MAX_PAYLOAD_TYPE) {
      throw new CompletionError(COMPLETION.invalidField, 'payload type does not exist');
    }
    const list = request.readUInt8(2);
    const records = (list & LIST_BY_SUITE) === 0 ? algorithms(bmc.cipherSuites) : suiteRecords(bmc.cipherSuites);
    const start = (list & LIST_INDEX_MASK) * CHUNK;
    return Buffer.concat([Buffer.of(LAN_CHANNEL), records.subarray(start, start + CHUNK)]);
  },
};

/** Records of the suites in order, IPMI 2.0 table 22-18. */
function suiteRecords(ids: readonly CipherSuiteId[]): Buffer {
  const suites = ids.toSorted((a, b) => a - b).map(cipherSuite);
  return Buffer.from(
    suites.flatMap((suite) => [
      STANDARD_SUITE,
      suite.id,
      suite.authentication,
      INTEGRITY_TAG | suite.integrity,
      CONFIDENTIALITY_TAG | suite.confidentiality,
    ]),
  );
}

/** Each algorithm once, independent of suites. */
function algorithms(ids: readonly CipherSuiteId[]): Buffer {
  const suites = ids.map(cipherSuite);
  const tagged = suites.flatMap((suite) => [
    suite.authentication,
    INTEGRITY_TAG | suite.integrity,
    CONFIDENTIALITY_TAG | suite.confidentiality,
  ]);
  return Buffer.from([...new Set(tagged)].sort((a, b) => a - b));
}
