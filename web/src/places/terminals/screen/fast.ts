/** Drawing by the graphics card, where there is one; else the page's own elements are sooner. */

import type { Terminal } from "@xterm/xterm";

/** Cards that the processor plays. */
const PLAYED = /swiftshader|llvmpipe|softpipe|software|basic render/i;
let known: boolean | undefined;

export async function drawFast(term: Terminal): Promise<void> {
  known ??= hasCard();
  if (!known) return;
  try {
    const { WebglAddon } = await import("@xterm/addon-webgl");
    if (term.element === undefined || !term.element.isConnected) return;
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    term.loadAddon(addon);
  } catch {
    // It goes on with elements.
  }
}

function hasCard(): boolean {
  const probe = document.createElement("canvas");
  const context = probe.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (context === null) return false;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info === null ? "" : `${context.getParameter(info.UNMASKED_RENDERER_WEBGL)}`;
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !PLAYED.test(name);
}
