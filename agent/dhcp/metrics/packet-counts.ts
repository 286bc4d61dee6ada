import type { MessageType, Outcome } from '../../../protocols/dhcp/index.ts';

/** Datagrams by what they were and what came of them. */
export class PacketCounts {
  readonly #counts = new Map<MessageType, Map<Outcome, { count: number }>>();

  add(type: MessageType, outcome: Outcome): void {
    const counter = this.#counts.get(type)?.get(outcome);
    if (counter === undefined) this.#begin(type, outcome);
    else counter.count += 1;
  }

  #begin(type: MessageType, outcome: Outcome): void {
    const outcomes = this.#counts.get(type) ?? new Map<Outcome, { count: number }>();
    outcomes.set(outcome, { count: 1 });
    this.#counts.set(type, outcomes);
  }

  *[Symbol.iterator](): Generator<{ type: MessageType; outcome: Outcome; count: number }> {
    for (const [type, outcomes] of this.#counts) {
      for (const [outcome, { count }] of outcomes) yield { type, outcome, count };
    }
  }
}
