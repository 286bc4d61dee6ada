import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parseSync } from 'oxc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildStaleWeb } from '../../scripts/build-web.ts';
import { type Manifest, MANIFEST_NAME } from '../../web/server/index.ts';
import { repository } from '../harness/repository.ts';

/** What noVNC and xterm.js have in their code. */
const CONSOLES = /xterm-helper-textarea|Unsupported encoding|proposeDimensions/;
/** Bytes of the compressed pages without the consoles. The aim is 300,000; more than this is a mistake. */
const MOST = 80_000;

beforeAll(async () => {
  await buildStaleWeb();
}, 60_000);

describe.each(['bmc', 'fleet'])('the files of the pages %s', (name) => {
  const folder = join(repository, 'dist/web', name);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const manifest = (): Manifest => JSON.parse(read(MANIFEST_NAME)) as Manifest;
  const scripts = (): string[] => Object.keys(manifest()).filter((file) => file.endsWith('.js'));
  /** The file and what it imports before it runs. */
  const withImports = (file: string): string[] => {
    const { staticImports, staticExports } = parseSync(file, read(file)).module;
    const requests = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)];
    const imported = requests.flatMap(({ moduleRequest }) => moduleRequest?.value.replace('./', '') ?? []);
    return [file, ...new Set(imported.flatMap(withImports))];
  };

  it('have a digest in their names, so that they may be kept for ever; all but the first page', () => {
    for (const [file, { isImmutable }] of Object.entries(manifest())) {
      expect([file, isImmutable]).toEqual([file, file !== 'index.html']);
      if (isImmutable) expect(file).toMatch(/^[a-z-]+-[\w-]{8}\.(js|css|svg|txt)$/);
    }
  });

  it('are compressed where that makes them smaller, and are all there', () => {
    const files = Object.entries(manifest());
    const there = files.flatMap(([file, { encodings }]) => [
      ...[file, ...encodings.map((encoding) => `${file}.${encoding === 'gzip' ? 'gz' : encoding}`)],
    ]);
    expect(readdirSync(folder).toSorted()).toEqual([...there, MANIFEST_NAME].toSorted());
    for (const [file, { encodings, etag }] of files) {
      const content = readFileSync(join(folder, file));
      expect(etag).toContain(createHash('sha256').update(content).digest('base64url').slice(0, 22));
      if (content.length > 200) expect(encodings).toEqual(['br', 'gzip']);
      if (encodings.includes('br'))
        expect(brotliDecompressSync(readFileSync(join(folder, `${file}.br`)))).toEqual(content);
      if (encodings.includes('gzip')) expect(gunzipSync(readFileSync(join(folder, `${file}.gz`)))).toEqual(content);
    }
  });

  it('begin with one script and one style, without noVNC and xterm.js, which are loaded when they are opened', () => {
    const html = read('index.html');
    expect(html).not.toContain('%');
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    const patterns = [`${name}-[\\w-]{8}.css`, `${name}-[\\w-]{8}.js`, 'icon-[\\w-]{8}.svg', 'licenses-[\\w-]{8}.txt'];
    expect(links).toHaveLength(patterns.length);
    for (const pattern of patterns) expect(links).toContainEqual(expect.stringMatching(new RegExp(`^${pattern}$`)));
    const entry = links.find((link) => link.endsWith('.js')) ?? '';
    const first = withImports(entry);
    const consoles = scripts().filter((file) => CONSOLES.test(read(file)));
    expect(consoles).toHaveLength(name === 'bmc' ? 3 : 0);
    expect(first.filter((file) => consoles.includes(file))).toEqual([]);
    const others = Object.keys(manifest()).filter((file) => !consoles.includes(file) && !file.startsWith('licenses'));
    const compressed = others.map((file) => readFileSync(join(folder, `${file}.gz`)).length);
    expect(compressed.reduce((all, bytes) => all + bytes)).toBeLessThan(MOST);
  });

  it('name no other server but in examples and in names of XML', () => {
    const files = Object.keys(manifest()).filter((file) => !file.endsWith('.txt'));
    const hosts = files.flatMap((file) =>
      [...read(file).matchAll(/https?:\/\/([^/:"'`\s)]+)/g)].map(([, host]) => host),
    );
    expect(hosts.filter((host) => !/^(www\.w3\.org|images\.example\.com|127\.0\.0\.1)$/.test(host ?? ''))).toEqual([]);
  });

  it('contain the licences of the packages in them', () => {
    const licenses = read(Object.keys(manifest()).find((file) => file.startsWith('licenses-')) ?? '');
    expect(licenses).toMatch(/preact \S+ \(MIT\)[^]*Permission is hereby granted, free of charge/);
    if (name === 'fleet') return;
    for (const notice of [
      ...[
        '@novnc/novnc 1.',
        'Mozilla Public License Version 2.0',
        'The noVNC authors',
        'Widget Workshop',
        'Vitaly Puzrin',
      ],
      ...['@xterm/xterm ', '@xterm/addon-fit ', 'The xterm.js authors', 'Fabrice Bellard'],
    ])
      expect(licenses).toContain(notice);
  });
});
