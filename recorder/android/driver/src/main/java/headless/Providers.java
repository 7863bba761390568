package headless;

import android.app.Application;
import android.content.ContentProvider;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import org.robolectric.android.internal.RoboMonitoringInstrumentation;
import org.robolectric.shadows.ShadowContentResolver;

/** Creates the app's content providers before {@code Application.onCreate}. */
final class Providers extends RoboMonitoringInstrumentation {
  @Override
  public void callApplicationOnCreate(Application app) {
    try {
      ProviderInfo[] all =
          app.getPackageManager()
              .getPackageInfo(app.getPackageName(), PackageManager.GET_PROVIDERS)
              .providers;
      for (ProviderInfo info : all == null ? new ProviderInfo[0] : all) {
        ContentProvider provider =
            (ContentProvider)
                Class.forName(info.name, true, app.getClassLoader())
                    .getDeclaredConstructor()
                    .newInstance();
        provider.attachInfo(app, info);
        for (String authority : info.authority.split(";")) {
          ShadowContentResolver.registerProviderInternal(authority, provider);
        }
      }
    } catch (ReflectiveOperationException | PackageManager.NameNotFoundException failure) {
      throw new IllegalStateException(failure);
    }
    super.callApplicationOnCreate(app);
  }
}
