import { NET_FN } from '../message/codes.ts';
import { BMC_ADDRESS, type RequestMessage } from '../message/lan-message.ts';

/** A request of a remote console to the BMC; default: Get Device ID. */
export function aRequest(fields: Partial<RequestMessage> = {}): RequestMessage {
  return {
    responderAddress: BMC_ADDRESS,
    netFn: NET_FN.app,
    responderLun: 0,
    requesterAddress: 0x81,
    requesterLun: 0,
    sequence: 1,
    command: 0x01,
    data: Buffer.alloc(0),
    ...fields,
  };
}
