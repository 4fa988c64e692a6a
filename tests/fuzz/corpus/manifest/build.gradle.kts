dependencies {
  implementation("g:a:1.2")
  implementation(libs.x.y)
  kapt(project(":p"))
}
