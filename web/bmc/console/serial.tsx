import '@xterm/xterm/css/xterm.css';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { useNotices } from '../../common/use-notices.ts';
import { Message } from '../../common/states.tsx';
import { useCopy } from '../../common/use-copy.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { ComputerSystem, Manager } from '../redfish/resources.ts';
import { MANAGER, SYSTEM } from '../redfish/uris.ts';
import { ConsoleCover } from './console-cover.tsx';
import { isSerialOff } from './console-uris.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { openSerial } from './serial-line.ts';
import { type SerialTerminal, serialTerminal } from './serial-terminal.ts';
import { type Connect, type Line, useConsole } from './use-console.ts';
import { Watchers } from './watchers.tsx';

export function Serial(): JSX.Element {
  const refusal = useRefusal('console');
  const { body: system, refresh: readSystem } = useResource<ComputerSystem>(SYSTEM);
  const { body: manager, refresh: readManager } = useResource<Manager>(MANAGER);
  const onEnd = useCallback(() => {
    void readSystem();
    void readManager();
  }, [readSystem, readManager]);
  if (refusal !== undefined) return <Message tone="warn">{refusal}</Message>;
  if (isSerialOff(system, manager)) {
    return <Message tone="warn">This BMC does not offer the serial console.</Message>;
  }
  return (
    <>
      <p class="quiet">
        The first serial port of the machine, the same as Serial over LAN. All who have it open see the same and type
        into the same line. IPMI takes the line when it opens it; then only a key that is typed here takes it.
      </p>
      <SerialConsole onEnd={onEnd} />
    </>
  );
}

function SerialConsole({ onEnd }: { onEnd: () => unknown }): JSX.Element {
  const { client } = useBmc();
  const notices = useNotices();
  const copy = useCopy();
  const [isPasting, setPasting] = useState(false);
  const made = useRef<Promise<SerialTerminal>>(null);
  const shown = useRef<SerialTerminal>(null);
  const open = useCallback<Connect<Line>>(
    async (element, callbacks) => {
      made.current ??= serialTerminal(element, (text) => void copy(text)).catch((error: unknown) => {
        made.current = null;
        throw error;
      });
      const terminal = await made.current;
      shown.current = terminal;
      const opened = (): void => {
        terminal.begin();
        callbacks.opened();
      };
      return openSerial(client, terminal.terminal, { ...callbacks, opened });
    },
    [client, copy],
  );
  const { element, state, connect } = useConsole(open, onEnd);
  useEffect(
    () => () => {
      void made.current?.then(
        (terminal) => {
          terminal.dispose();
        },
        () => undefined,
      );
    },
    [],
  );
  const notOpen = state.kind === 'open' ? undefined : 'The console is not connected.';
  return (
    <>
      <section class="console" aria-label="Serial console" {...(state.kind === 'open' && { 'data-open-console': '' })}>
        <div class="console-tools">
          <Watchers type="HostConsole" isAmong={state.kind === 'open'} />
          <div class="end">
            <Button
              isNarrow
              reason={isSecureContext ? notOpen : 'Browsers let a page copy only over HTTPS.'}
              onClick={() => {
                const text = shown.current?.terminal.getSelection() ?? '';
                void copy(text === '' ? allOf(shown.current) : text).then((isDone) => {
                  if (isDone) notices.done(text === '' ? 'All of the terminal is copied.' : 'The selection is copied.');
                });
              }}
            >
              Copy
            </Button>
            <Button
              isNarrow
              reason={notOpen}
              onClick={() => {
                setPasting(true);
              }}
            >
              Paste
            </Button>
            <Button isNarrow reason={notOpen} onClick={() => shown.current?.terminal.clear()}>
              Clear
            </Button>
            <Button isNarrow onClick={connect}>
              Reconnect
            </Button>
          </div>
        </div>
        <div class="console-view serial">
          <div class="fill" ref={element} />
          <ConsoleCover state={state} note={undefined} onConnect={connect} />
        </div>
        {isPasting && (
          <PasteDialog
            hint="Line ends are sent as Enter."
            onType={(text) => {
              shown.current?.terminal.paste(text);
              shown.current?.terminal.focus();
            }}
            onClose={() => {
              setPasting(false);
            }}
          />
        )}
      </section>
      <p class="quiet small">
        Keys go to the machine, Tab and the function keys too. Shift-Tab leaves the terminal. Shift-Page Up scrolls
        back. Ctrl-Shift-C copies, and so does Ctrl-C with a selection. Ctrl-Shift-V pastes.
      </p>
    </>
  );
}

/** The whole text of the terminal with its scrollback. */
function allOf(shown: SerialTerminal | null): string {
  if (shown === null) return '';
  const { active } = shown.terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, index) => active.getLine(index)?.translateToString(true) ?? '',
  );
  return lines.join('\n').trimEnd();
}
