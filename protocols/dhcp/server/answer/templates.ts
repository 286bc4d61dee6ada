import type { PacketView } from '../../codec/packet-view.ts';
import type { NetworkSettings } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import { networkOptions } from './network-options.ts';
import { type Answer, type Template, template } from './template.ts';

/** Cached data of a network: its options and its templates. */
interface NetworkTemplates {
  readonly available: ReadonlyMap<number, Uint8Array>;
  /** By kind of answer, then by hash of the parameter request list. */
  readonly byKind: Map<number, Template>[];
}

const KINDS = 6;
/** Maximum number of cached lists per network. Operating systems use a handful; a client can send any number. */
const MAX_TEMPLATES = 256;

/** Template cache by network and request list. A new settings object has its own cache entry. */
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

  /** A template that uses at most `room` bytes for options; not cached, since few clients need it. */
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

/** A copy, since the packet is not valid later. */
function askedBy(packet: PacketView): Uint8Array | undefined {
  return packet.option(OPTION.parameterRequestList)?.slice();
}

function isFor({ asked }: Template, packet: PacketView): boolean {
  if (asked === undefined) return !packet.has(OPTION.parameterRequestList);
  return packet.equals(OPTION.parameterRequestList, asked);
}

/** Hash of the list; the cache lookup also compares the lists. */
function hashOf(packet: PacketView): number {
  return packet.has(OPTION.parameterRequestList) ? packet.hash(OPTION.parameterRequestList) : -1;
}
