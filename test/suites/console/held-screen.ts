import type { ObjectRef } from '@groundcrew/controller-runtime';
import { KubeVirtDisplay } from '../../../agent/bmc/kubevirt/console/kubevirt-display.ts';
import { SharedScreen } from '../../../protocols/rfb/index.ts';
import { TestViewer, type TestViewerOptions } from '../../../protocols/rfb/testing/test-viewer.ts';
import { type Cluster, eventually } from '../../harness/index.ts';
import { AgentView } from './agent-view.ts';

/** An agent's screen of a VM, with the permissions of a service account. */
export class HeldScreen {
  readonly display: KubeVirtDisplay;
  readonly #view: AgentView;
  readonly #screen: SharedScreen;

  private constructor(view: AgentView) {
    this.#view = view;
    this.display = new KubeVirtDisplay({ ...view.options, client: view.client });
    view.onChange = () => {
      this.display.follow();
    };
    this.#screen = new SharedScreen({
      display: this.display,
      name: 'vm',
      schedule: (work, delay) => {
        const timer = setTimeout(work, delay);
        return () => {
          clearTimeout(timer);
        };
      },
    });
  }

  static async of(cluster: Cluster, account: Required<ObjectRef>, vm: Required<ObjectRef>): Promise<HeldScreen> {
    const held = new HeldScreen(await AgentView.of(cluster, account, vm));
    await eventually(() => {
      if (held.display.isPresent() === undefined) throw new Error('the VM is not known yet');
    });
    return held;
  }

  attach(options: TestViewerOptions = {}): TestViewer {
    const viewer = new TestViewer(options);
    viewer.begin(this.#screen.attach(viewer));
    return viewer;
  }

  close(): void {
    this.#screen.close();
    this.#view.stop();
  }
}

/** Types text as a keyboard. */
export function typeAt(viewer: TestViewer, text: string): void {
  for (const character of text) {
    const keysym = character === '\r' ? [0xff, 0x0d] : [0, character.charCodeAt(0)];
    for (const isDown of [1, 0]) viewer.say(4, isDown, 0, 0, 0, 0, ...keysym);
  }
}
