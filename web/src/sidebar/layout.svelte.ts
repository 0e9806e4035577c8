import { preferences } from "../shared/preferences.svelte";

const wide = matchMedia("(min-width: 900px)");

/** The sidebar is docked on a wide screen and a drawer over the page on a narrow one. */
export class Layout {
  wide = $state(wide.matches);
  drawerOpen = $state(false);

  constructor(ended: AbortSignal) {
    const changed = () => {
      this.wide = wide.matches;
      this.drawerOpen = false;
    };
    wide.addEventListener("change", changed, { signal: ended });
  }

  get docked(): boolean {
    return this.wide && preferences.sidebarOpen;
  }

  get drawerShown(): boolean {
    return !this.wide && this.drawerOpen;
  }

  get sidebarShown(): boolean {
    return this.docked || this.drawerShown;
  }

  openSidebar(): void {
    if (this.wide) preferences.sidebarOpen = true;
    else this.drawerOpen = true;
  }

  closeSidebar(): void {
    if (this.wide) preferences.sidebarOpen = false;
    else this.drawerOpen = false;
  }

  toggleSidebar(): void {
    if (this.sidebarShown) this.closeSidebar();
    else this.openSidebar();
  }
}
