import type { PacketView } from '../../codec/packet-view.ts';
import type { NetworkSettings } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import { networkOptions } from './network-options.ts';
import { type Answer, type Template, template } from './template.ts';

/** What is kept of a network: its options, and the templates made of them so far. */
interface NetworkTemplates {
  readonly available: ReadonlyMap<number, Uint8Array>;
  /** By kind of answer, then by a hash of the parameter request list. */
  readonly byKind: Map<number, Template>[];
}

const KINDS = 6;
/** Different lists that are remembered of a network. Operating systems have a handful; a client may make up any number. */
const MAX_TEMPLATES = 256;

/** Templates by network and by what the client asks for, each made once. Settings that are another object are others. */
export class Templates {
  readonly #networks = new WeakMap<NetworkSettings, NetworkTemplates>();

  find(settings: NetworkSettings, answer: Answer, boots: boolean, packet: PacketView): Template {
    const network = this.#networks.get(settings) ?? this.#add(settings);
    const templates = network.byKind[boots ? answer + 3 : answer];
    const hash = hashOf(packet);
    const known = templates?.get(hash);
    if (known !== undefined && isFor(known, packet)) return known;
    const made = template({ settings, available: network.available, answer, boots, asked: askedBy(packet) });
    if (templates?.size === MAX_TEMPLATES) templates.clear();
    templates?.set(hash, made);
    return made;
  }

  /** One that takes no more than `room` bytes for its options; made anew each time, since hardly any client needs it. */
  fitted(settings: NetworkSettings, answer: Answer, boots: boolean, packet: PacketView, room: number): Template {
    const { available } = this.#networks.get(settings) ?? this.#add(settings);
    return template({ settings, available, answer, boots, asked: askedBy(packet), room });
  }

  #add(settings: NetworkSettings): NetworkTemplates {
    const byKind = Array.from({ length: KINDS }, () => new Map<number, Template>());
    const network = { available: networkOptions(settings), byKind };
    this.#networks.set(settings, network);
    return network;
  }
}

/** A copy: the packet is gone when the template is used again. */
function askedBy(packet: PacketView): Uint8Array | undefined {
  return packet.option(OPTION.parameterRequestList)?.slice();
}

function isFor({ asked }: Template, packet: PacketView): boolean {
  if (asked === undefined) return !packet.has(OPTION.parameterRequestList);
  return packet.equals(OPTION.parameterRequestList, asked);
}

/** Equal lists have equal hashes; the rest is told apart by comparing. */
function hashOf(packet: PacketView): number {
  return packet.has(OPTION.parameterRequestList) ? packet.hash(OPTION.parameterRequestList) : -1;
}
