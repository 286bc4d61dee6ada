import { ANNOTATIONS } from '../annotations.ts';
import type { ImportState } from '../importer/importer.ts';

/** What CDI notes on a claim about the pod that imports into it. */
export function importAnnotations(claim: string, state: ImportState): Record<string, string> {
  return {
    [ANNOTATIONS.importer]: `importer-${claim}`,
    [ANNOTATIONS.restarts]: String(state.restarts),
    ...podAnnotations(state),
  };
}

function podAnnotations(state: ImportState): Record<string, string> {
  switch (state.phase) {
    case 'Waiting':
      return { [ANNOTATIONS.phase]: 'Pending', ...container('false', state.reason, state.message) };
    case 'Running':
      return { [ANNOTATIONS.phase]: 'Running', ...container('true', 'Pod is running', '') };
    case 'Failed':
      // The pod goes on, since its container is started again.
      return { [ANNOTATIONS.phase]: 'Running', ...container('false', 'Error', simplified(state.message)) };
    case 'Succeeded':
      return {
        [ANNOTATIONS.phase]: 'Succeeded',
        [ANNOTATIONS.importedBytes]: String(state.received.bytes),
        [ANNOTATIONS.importedSha256]: state.received.sha256,
        ...container('false', 'Completed', 'Import Complete'),
      };
  }
}

function container(running: 'true' | 'false', reason: string, message: string): Record<string, string> {
  return {
    [ANNOTATIONS.running]: running,
    [ANNOTATIONS.runningReason]: reason,
    [ANNOTATIONS.runningMessage]: message,
  };
}

/** CDI's `simplifyKnownMessage`; the whole message is in an event of the claim. */
function simplified(message: string): string {
  const tooSmall = ['is larger than the reported available', 'no space left on device', 'disk quota exceeded'];
  return tooSmall.some((part) => message.includes(part)) ? 'DataVolume too small to contain image' : message;
}
