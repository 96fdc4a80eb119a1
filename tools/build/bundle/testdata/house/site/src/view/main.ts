new globalThis.Go();
