import { isDeepStrictEqual } from 'node:util';
import { CONFIG_MAPS, type ConfigMap, type KubeClient } from '@groundcrew/controller-runtime';

/** The state of an object in the last response; undefined if deleted. */
type Known = ConfigMap | undefined;

interface Writer {
  name: string;
  count: number;
  /** The last acknowledged state. */
  known: Known;
  /** The last request without a response; `text`: the written value, undefined for a deletion. */
  asked?: { text: string | undefined };
}

/** Many parallel clients that create, change and delete, each its own object, and record the responses. */
export class Storm {
  acknowledged = 0;
  readonly #writers: Writer[];
  #revision = 0;

  constructor(writers: number) {
    this.#writers = Array.from({ length: writers }, (_, index) => ({
      name: `storm-${index}`,
      count: 0,
      known: undefined,
    }));
  }

  /** Writes until the server is gone. */
  async blow(client: KubeClient, namespace: string): Promise<void> {
    await Promise.all(
      this.#writers.map(async (writer) => {
        // More writes than there is time for; the kill ends the loop.
        for (let turn = 0; turn < 100_000; turn += 1) if (!(await this.#write(writer, client, namespace))) return;
      }),
    );
  }

  /** The differences between the server and the recorded state. Continues from the state of the server. */
  async differences(client: KubeClient, namespace: string): Promise<string[]> {
    const differences: string[] = [];
    for (const writer of this.#writers) {
      const { name, known, asked } = writer;
      const found = await client.find(CONFIG_MAPS, { namespace, name });
      if (!isDeepStrictEqual(found, known) && !(asked !== undefined && isOutcome(found, known, asked.text))) {
        differences.push(`${name}: ${JSON.stringify({ known, asked, found })}`);
      }
      writer.known = found;
      delete writer.asked;
    }
    const { metadata } = await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: `calm-${this.#revision}` },
    });
    if (Number(metadata.resourceVersion) <= this.#revision) {
      differences.push(`resourceVersion ${metadata.resourceVersion ?? ''} after ${this.#revision}`);
    }
    return differences;
  }

  async #write(writer: Writer, client: KubeClient, namespace: string): Promise<boolean> {
    const ref = { namespace, name: writer.name };
    writer.count += 1;
    const text =
      writer.known !== undefined && writer.count % 5 === 0
        ? undefined
        : `${writer.count} ${'x'.repeat(writer.count % 3000)}`;
    writer.asked = { text };
    try {
      if (text === undefined) {
        await client.delete(CONFIG_MAPS, ref);
        writer.known = undefined;
      } else if (writer.known === undefined) {
        writer.known = await client.create(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: ref,
          data: { text },
        });
      } else writer.known = await client.patch(CONFIG_MAPS, ref, 'merge', { data: { text } });
    } catch {
      return false;
    }
    delete writer.asked;
    this.acknowledged += 1;
    this.#revision = Math.max(this.#revision, Number(writer.known?.metadata.resourceVersion ?? 0));
    return true;
  }
}

/** Whether an object is the complete result of a write without a response. */
function isOutcome(found: Known, known: Known, text: string | undefined): boolean {
  if (text === undefined || found === undefined) return found === undefined && text === undefined;
  const isSame = known === undefined || known.metadata.uid === found.metadata.uid;
  return isSame && isDeepStrictEqual(found.data, { text });
}
