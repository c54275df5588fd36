// A browser of WebKitGTK for automated tests, run by GJS: `gjs -m webkit-browser.js {"profile":…}`. MiniBrowser, which
// comes with the engine, keeps all it stores in memory when it is automated, so that nothing outlives it.
import Gtk from 'gi://Gtk?version=3.0'
import WebKit from 'gi://WebKit2?version=4.1'

/** `proxy`: what all host names but this machine's own are asked of. `features`: of the engine, by name. */
const { profile, proxy, ephemeral, features = {} } = JSON.parse(ARGV[0])

const data = ephemeral
  ? WebKit.WebsiteDataManager.new_ephemeral()
  : new WebKit.WebsiteDataManager({
      base_data_directory: `${profile}/data`,
      base_cache_directory: `${profile}/cache`,
    })
data.set_network_proxy_settings(
  WebKit.NetworkProxyMode.CUSTOM,
  WebKit.NetworkProxySettings.new(proxy, ['127.0.0.1']),
)
const context = new WebKit.WebContext({ website_data_manager: data })
context.set_automation_allowed(true)

const settings = new WebKit.Settings()
const known = WebKit.Settings.get_all_features()
for (let at = 0; at < known.get_length(); at++) {
  const feature = known.get(at)
  const wanted = features[feature.get_identifier()]
  if (wanted !== undefined) settings.set_feature_enabled(feature, wanted)
}

/** Runs in each page before its own scripts. */
const TAKE_DOWN_ERRORS = `
  window.driverErrors = []
  const take = error => window.driverErrors.push(String(error?.stack || error))
  window.addEventListener('error', ({ error, message }) => take(error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => take(reason))
  const { error } = console
  console.error = (...said) => {
    take(said.join(' '))
    error.apply(console, said)
  }
`

Gtk.init(null)
const window = new Gtk.Window({ default_width: 1280, default_height: 800 })
// Only the page in front is visible, as in a browser with tabs.
const tabs = new Gtk.Notebook({ show_tabs: false })
window.add(tabs)
window.show_all()

context.connect('automation-started', (_context, session) => {
  session.connect('create-web-view', () => {
    const content = new WebKit.UserContentManager()
    const { ALL_FRAMES } = WebKit.UserContentInjectedFrames
    const { START } = WebKit.UserScriptInjectionTime
    content.add_script(WebKit.UserScript.new(TAKE_DOWN_ERRORS, ALL_FRAMES, START, null, null))
    const tab = new WebKit.WebView({
      web_context: context,
      settings,
      user_content_manager: content,
      is_controlled_by_automation: true,
    })
    const show = () => {
      tabs.set_current_page(tabs.page_num(tab))
      tab.grab_focus()
    }
    // WebDriver has no command that brings a tab to the front: the page asks for it.
    content.connect('script-message-received::show', show)
    content.register_script_message_handler('show')
    tab.connect('close', () => tab.destroy())
    tab.show()
    tabs.append_page(tab, null)
    show()
    return tab
  })
})
Gtk.main()
