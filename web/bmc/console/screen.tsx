import type { JSX } from 'preact';
import { useCallback, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Failure, Loading, Message } from '../../common/states.tsx';
import { usePower } from '../overview/use-power.tsx';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';
import { ConsoleCover } from './console-cover.tsx';
import { FullScreen } from './full-screen.tsx';
import { COMBINATIONS, isRelease } from './key-combinations.ts';
import { Menu } from './menu.tsx';
import { PasteDialog } from './paste-dialog.tsx';
import { openScreen, type ScreenLine } from './screen-line.ts';
import { checkTyping, grouped, MOST_TYPED } from './typing-check.ts';
import { useTyping } from './typing.tsx';
import { type Connect, useConsole } from './use-console.ts';
import { Watchers } from './watchers.tsx';

export function Screen(): JSX.Element {
  const { body: system, problem, refresh } = useResource<ComputerSystem>(SYSTEM);
  if (system === undefined) {
    if (problem === undefined) return <Loading what="the screen" />;
    return <Failure trouble={problem} retry={() => void refresh()} />;
  }
  if (system.GraphicalConsole?.ServiceEnabled !== true) {
    return <Message tone="warn">This BMC does not offer the screen of the machine.</Message>;
  }
  return <ScreenConsole onEnd={refresh} />;
}

function ScreenConsole({ onEnd }: { onEnd: () => unknown }): JSX.Element {
  const { client } = useBmc();
  const power = usePower();
  const refusal = useRefusal('console');
  const canType = refusal === undefined;
  const tools = useRef<HTMLDivElement>(null);
  const helpId = useId();
  const [isScaled, setScaled] = useState(true);
  const [isPasting, setPasting] = useState(false);
  const [pause, setPause] = useState<string>();
  // The next connection is made with these.
  const takes = useRef(false);
  const scales = useRef(isScaled);
  const open = useCallback<Connect<ScreenLine>>(
    async (element, callbacks) => {
      const isShared = !takes.current;
      takes.current = false;
      const options = { canType, isShared, isScaled: scales.current, helpId, paused: setPause };
      return await openScreen(client, options, element, callbacks);
    },
    [client, canType, helpId],
  );
  const { element, line, state, connect } = useConsole(open, onEnd);
  const typing = useTyping(line);
  const notOpen = refusal ?? (state.kind === 'open' ? undefined : 'The screen is not connected.');
  return (
    <>
      {refusal !== undefined && (
        <Message>You see the screen, but your keys and pointer do not reach the machine. {refusal}</Message>
      )}
      <section class="console" aria-label="Screen" {...(state.kind === 'open' && { 'data-open-console': '' })}>
        <div ref={tools} class="console-tools" role="group" aria-label="Controls of the screen" tabIndex={-1}>
          <Button isNarrow reason={notOpen} onClick={() => line.current?.press(COMBINATIONS[0]?.keys ?? [])}>
            Ctrl-Alt-Del
          </Button>
          <Menu
            label="Keys"
            reason={notOpen}
            items={COMBINATIONS.map(({ label, keys }) => ({ label, onChoose: () => line.current?.press(keys) }))}
          />
          <Button
            isNarrow
            reason={notOpen ?? pause ?? (typing.bar === null ? undefined : 'A text is being typed.')}
            onClick={() => {
              setPasting(true);
            }}
          >
            Paste
          </Button>
          <Menu
            label="Power"
            icon="power"
            reason={power.refusal}
            items={power.actions.map((action) => ({
              label: action.label,
              onChoose: () => {
                power.choose(action);
              },
            }))}
          />
          <div class="end">
            <Watchers type="KVMIP" isAmong={state.kind === 'open'} />
            <Button
              isNarrow
              label="Take over, and close the screen of all other viewers"
              reason={refusal}
              onClick={() => {
                takes.current = true;
                connect();
              }}
            >
              Take over
            </Button>
            <Button
              isNarrow
              isPressed={isScaled}
              onClick={() => {
                scales.current = !isScaled;
                setScaled(scales.current);
                if (line.current !== null) line.current.rfb.scaleViewport = scales.current;
              }}
            >
              Scale
            </Button>
            <FullScreen />
          </div>
        </div>
        <div
          class="console-view"
          onKeyDownCapture={(event) => {
            if (!isRelease(event)) return;
            event.preventDefault();
            event.stopPropagation();
            tools.current?.focus();
          }}
        >
          <div class="fill" ref={element} />
          <ConsoleCover state={state} note={pause} onConnect={connect} />
          {typing.bar}
        </div>
        {power.question}
        {isPasting && (
          <PasteDialog
            hint={`Typed key by key on a US keyboard, 30 to 40 characters in a second, at most ${grouped(MOST_TYPED)}. A machine with another keyboard layout makes other characters of some keys.`}
            check={checkTyping}
            onType={(text) => {
              typing.begin(text);
            }}
            onClose={() => {
              setPasting(false);
            }}
          />
        )}
      </section>
      <p class="quiet small">
        {canType && (
          <span id={helpId}>
            The screen takes all keys while it has the focus, until you press <kbd>Ctrl-Alt-Shift</kbd>.{' '}
          </span>
        )}
        All viewers see and use the same screen. <em>Take over</em> closes it for the others.
      </p>
    </>
  );
}
