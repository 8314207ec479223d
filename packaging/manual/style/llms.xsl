<?xml version="1.0" encoding="UTF-8"?>
<!-- llms.txt (llmstxt.org): a description of the project, and the Markdown pages with their descriptions. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:import href="markdown.xsl"/>
<xsl:output method="text" encoding="UTF-8"/>

<xsl:template match="/">
  <xsl:value-of select="concat('# mod_useradmin ', $version, '&#10;&#10;&gt; ')"/>
  <xsl:apply-templates select="manualpage/summary/p[1]" mode="text"/>
  <xsl:text>&#10;&#10;</xsl:text>
  <xsl:call-template name="page"><xsl:with-param name="name" select="'index'"/></xsl:call-template>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="manualpage/pagelist"/>
</xsl:template>

</xsl:stylesheet>
