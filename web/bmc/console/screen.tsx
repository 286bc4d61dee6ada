import type { JSX } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Loading, Message } from '../../common/states.tsx';
import { usePower } from '../overview/use-power.tsx';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';
import { ConsoleCover } from './console-cover.tsx';
import { COMBINATIONS, MOST_TYPED } from './key-combinations.ts';
import { Menu } from './menu.tsx';
import { PasteDialog } from './paste-dialog.tsx';
import { openScreen, type ScreenLine } from './screen-line.ts';
import { type Connect, useConsole } from './use-console.ts';
import { Watchers } from './watchers.tsx';

export function Screen(): JSX.Element {
  const { body: system, refresh } = useResource<ComputerSystem>(SYSTEM);
  if (system === undefined) return <Loading what="the screen" />;
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
  const frame = useRef<HTMLElement>(null);
  const [isScaled, setScaled] = useState(true);
  const [isPasting, setPasting] = useState(false);
  const [pause, setPause] = useState<string>();
  // The next connection takes the screen from the others.
  const takes = useRef(false);
  const open = useCallback<Connect<ScreenLine>>(
    async (element, callbacks) => {
      const isShared = !takes.current;
      takes.current = false;
      return await openScreen(client, { canType, isShared, paused: setPause }, element, callbacks);
    },
    [client, canType],
  );
  const { element, line, state, connect } = useConsole(open, onEnd);
  const notOpen = refusal ?? (state.kind === 'open' ? undefined : 'The screen is not connected.');
  return (
    <>
      {refusal !== undefined && (
        <Message>You see the screen, but your keys and pointer do not reach the machine. {refusal}</Message>
      )}
      <section
        ref={frame}
        class="console"
        aria-label="Screen"
        {...(state.kind === 'open' && { 'data-open-console': '' })}
      >
        <div class="console-tools">
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
            reason={notOpen}
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
                setScaled(!isScaled);
                if (line.current !== null) line.current.rfb.scaleViewport = !isScaled;
              }}
            >
              Scale
            </Button>
            <Button
              isNarrow
              onClick={() => {
                if (document.fullscreenElement === null) void frame.current?.requestFullscreen();
                else void document.exitFullscreen();
              }}
            >
              Full screen
            </Button>
          </div>
        </div>
        <div class="console-view">
          <div class="fill" ref={element} />
          <ConsoleCover state={state} note={pause} onConnect={connect} />
        </div>
        {power.question}
        {isPasting && (
          <PasteDialog
            hint={`Typed key by key with the keyboard layout of the machine, at most ${MOST_TYPED} characters.`}
            onType={(text) => void line.current?.type(text)}
            onClose={() => {
              setPasting(false);
            }}
          />
        )}
      </section>
      <p class="quiet small">
        All viewers see and use the same screen. <em>Take over</em> closes it for the others.
      </p>
    </>
  );
}
