/** The part of noVNC's API (docs/API.md of the package) that the screen uses. */
declare module '@novnc/novnc' {
  interface RfbEvents {
    connect: CustomEvent;
    desktopname: CustomEvent<{ name: string }>;
    disconnect: CustomEvent<{ clean: boolean }>;
    securityfailure: CustomEvent<{ status: number; reason?: string }>;
  }

  export default class RFB {
    constructor(target: HTMLElement, channel: WebSocket, options?: { shared?: boolean });
    viewOnly: boolean;
    scaleViewport: boolean;
    clipViewport: boolean;
    focusOnClick: boolean;
    background: string;
    disconnect(): void;
    focus(): void;
    /** Presses and releases the key if `down` is absent. */
    sendKey(keysym: number, code: string | null, down?: boolean): void;
    addEventListener<Name extends keyof RfbEvents>(name: Name, listener: (event: RfbEvents[Name]) => void): void;
  }
}
