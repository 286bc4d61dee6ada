import type { Section } from '../section.ts';
import { measureSandboxStart } from './sandbox-start.ts';

/** What a person waits for who types `npm start`. */
export async function measureSandbox(progress: (line: string) => void): Promise<Section> {
  return { title: 'Sandbox', introduction: [], inputs: [], measurements: await measureSandboxStart(progress) };
}
