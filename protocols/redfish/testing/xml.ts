/** An element of an XML document. */
export interface Element {
  /** With prefix: `edmx:Include`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Set for an element with text only. */
  readonly text: string;
}

const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*"[^"]*")*)\s*(\/?)>|([^<]+)/gy;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Parses the XML subset of DMTF's schema files: elements, attributes in double quotes, text. @throws Error */
export function parseXml(text: string): Element {
  const root: Building = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let end = 0;
  for (const match of text.replace(/^\uFEFF/, '').matchAll(TOKEN)) {
    end = match.index + match[0].length;
    const [, closed, opened, attributes = '', slash, content] = match;
    const inside = open.at(-1) ?? root;
    if (content !== undefined) inside.text += unescape(content).trim();
    if (opened !== undefined) {
      const element = { name: opened, attributes: parseAttributes(attributes), children: [], text: '' };
      inside.children.push(element);
      if (slash !== '/') open.push(element);
    }
    if (closed !== undefined && open.pop()?.name !== closed) throw new Error(`</${closed}> closes nothing`);
  }
  const [element] = root.children;
  if (element === undefined || open.length > 1) throw new Error(`no XML that can be read, from character ${end}`);
  return element;
}

interface Building extends Element {
  readonly children: Building[];
  text: string;
}

function parseAttributes(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w:.-]+)\s*=\s*"([^"]*)"/g);
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, unescape(value)]));
}

function unescape(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (all, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name ?? ''] ?? all;
  });
}
