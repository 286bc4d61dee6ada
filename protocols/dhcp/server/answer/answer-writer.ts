import { writeU16, writeU32 } from '../../codec/bytes.ts';
import { BROADCAST_FLAG, ETHERNET_ADDRESS_LENGTH, FIELD } from '../../codec/header.ts';
import type { PacketView } from '../../codec/packet-view.ts';
import { encodedOptionLength } from '../../codec/message.ts';
import type { Lease } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import type { ClientRequest } from '../client-request.ts';
import type { BootFile } from '../netboot/boot-file.ts';
import { AnswerBuffer, messageLimit } from './answer-buffer.ts';
import { addBootOptions, clientName, writeBootFields } from './client-options.ts';
import { ANSWER, type Answer, nakTemplate, type Template } from './template.ts';
import { Templates } from './templates.ts';

/** Option 82 must not be split: relay agents do not support pieces. */
const MAX_RELAY_AGENT = 255;
const NO_VALUE = new Uint8Array(0);

/** The parts of an answer that are not in its template. */
export interface AnswerParts {
  readonly answer: Answer;
  readonly boot: BootFile | undefined;
  readonly isRapid: boolean;
  /** The answer goes through the relay agent and contains its option 82. */
  readonly echoesRelayAgent: boolean;
}

/** Writes all answers into one buffer; each is valid until the next. */
export class AnswerWriter {
  readonly #buffer = new AnswerBuffer();
  readonly #templates = new Templates();

  /** OFFER or ACK, RFC 2131 §4.3.1, table 3. */
  write(request: ClientRequest, lease: Lease, parts: AnswerParts): Uint8Array {
    const { packet } = request;
    const { answer, boot } = parts;
    const boots = boot !== undefined;
    let template = this.#templates.find(lease.settings, answer, boots, packet);
    this.#fill(template, request, lease, parts);
    if (this.#buffer.isOver) {
      template = this.#fitted(request, lease, parts);
      this.#fill(template, request, lease, parts);
    }
    const { bytes } = this.#buffer;
    writeU32(bytes, request.serverIdentifier(lease.settings), template.serverIdentifierAt);
    copyHeader(bytes, packet);
    if (answer !== ANSWER.offer) copy(bytes, packet, FIELD.ciaddr, 4);
    if (answer !== ANSWER.informed) writeU32(bytes, lease.ipAddress, FIELD.yiaddr);
    if (boot !== undefined) writeBootFields(bytes, boot);
    return this.#buffer.finish();
  }

  /** NAK, RFC 2131 §4.3.2, table 3. It sets the broadcast flag for a relay agent, since the client's address is invalid. */
  writeNak(request: ClientRequest, { settings }: Lease, reason: string): Uint8Array {
    const { packet } = request;
    const relayAgent = relayAgentOf(packet);
    this.#buffer.start(nakTemplate(request.serverIdentifier(settings), reason), limitOf(packet, relayAgent));
    this.#buffer.echo(packet, OPTION.clientIdentifier);
    if (relayAgent !== undefined) this.#buffer.addLast(OPTION.relayAgent, relayAgent);
    const { bytes } = this.#buffer;
    copyHeader(bytes, packet);
    if (packet.giaddr !== 0) writeU16(bytes, packet.flags | BROADCAST_FLAG, FIELD.flags);
    return this.#buffer.finish();
  }

  /**
   * The template for a client whose answer is too small for all options. The mandatory options and those of the client itself come
   * first, then the requested ones in its order, each if it fits, then its names.
   */
  #fitted({ packet }: ClientRequest, { settings }: Lease, parts: AnswerParts): Template {
    const boots = parts.boot !== undefined;
    const mandatory = this.#templates.fitted(settings, parts.answer, boots, packet, 0);
    this.#start(mandatory, packet, parts, parts.echoesRelayAgent ? relayAgentOf(packet) : undefined);
    const room = mandatory.bytes.length - FIELD.options + this.#buffer.room;
    return this.#templates.fitted(settings, parts.answer, boots, packet, room);
  }

  /** Writes the options; options that do not fit are left out. */
  #fill(template: Template, { packet }: ClientRequest, lease: Lease, parts: AnswerParts): void {
    const relayAgent = parts.echoesRelayAgent ? relayAgentOf(packet) : undefined;
    this.#start(template, packet, parts, relayAgent);
    if (lease.hostname && template.takesHostName) this.#buffer.addText(OPTION.hostName, lease.hostname);
    const fqdn = packet.option(OPTION.clientFqdn);
    const name = fqdn && clientName(fqdn, lease);
    if (name !== undefined) this.#buffer.add(OPTION.clientFqdn, name);
    // Must be last (RFC 3046 §2.2).
    if (relayAgent !== undefined) this.#buffer.addLast(OPTION.relayAgent, relayAgent);
  }

  /** Writes the template and the options that depend on the client. */
  #start(template: Template, packet: PacketView, parts: AnswerParts, relayAgent: Uint8Array | undefined): void {
    this.#buffer.start(template.bytes, limitOf(packet, relayAgent));
    // Echoed unchanged: RFC 6842 §3, RFC 4578 §2.3, RFC 3011 §4.
    this.#buffer.echo(packet, OPTION.clientIdentifier);
    if (parts.isRapid) this.#buffer.add(OPTION.rapidCommit, NO_VALUE);
    if (parts.boot !== undefined) addBootOptions(this.#buffer, template, parts.boot);
    this.#buffer.echo(packet, OPTION.machineIdentifier);
    this.#buffer.echo(packet, OPTION.subnetSelection);
  }
}

function relayAgentOf(packet: PacketView): Uint8Array | undefined {
  const value = packet.option(OPTION.relayAgent);
  return value !== undefined && value.length <= MAX_RELAY_AGENT ? value : undefined;
}

/** Reserves space for the last option and the end. */
function limitOf(packet: PacketView, relayAgent: Uint8Array | undefined): number {
  return messageLimit(packet) - 1 - (relayAgent === undefined ? 0 : encodedOptionLength(relayAgent));
}

/** Header fields copied from the request: RFC 2131 §4.3.1, table 3. */
function copyHeader(bytes: Uint8Array, packet: PacketView): void {
  copy(bytes, packet, FIELD.htype, 2);
  copy(bytes, packet, FIELD.xid, 4);
  copy(bytes, packet, FIELD.flags, 2);
  copy(bytes, packet, FIELD.giaddr, 4);
  copy(bytes, packet, FIELD.chaddr, ETHERNET_ADDRESS_LENGTH);
}

/** Copies byte by byte: the ranges are too short for a view. */
function copy(bytes: Uint8Array, packet: PacketView, from: number, length: number): void {
  const source = packet.bytes;
  for (let at = from; at < from + length; at += 1) bytes[at] = source[at] ?? 0;
}
